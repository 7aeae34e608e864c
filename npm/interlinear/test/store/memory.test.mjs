import { MemoryStore } from "interlinear/store";
import { conform } from "./suite.mjs";

conform("MemoryStore", async () => {
  const store = new MemoryStore();
  return { store, clean: () => store.close() };
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JsonlStore } from "interlinear/store";
import { conform } from "./suite.mjs";

conform("JsonlStore", async () => {
  const folder = await mkdtemp(join(tmpdir(), "interlinear-store-"));
  const stores = [new JsonlStore(folder, { sync: "never" })];
  const again = async () => {
    stores.push(new JsonlStore(folder, { sync: "never" }));
    return stores.at(-1);
  };
  const clean = async () => {
    await Promise.all(stores.map((store) => store.close()));
    await rm(folder, { recursive: true, force: true });
  };
  return { store: stores[0], again, clean };
});

// A host in a process of its own, for the test that kills it: starts a session, says something, and waits.
import { AgentHost } from "../../npm/interlinear/dist/host/index.js";

const { settings, start, prompt } = JSON.parse(process.argv[2]);
const host = new AgentHost(settings);
const session = await host.start(start);
console.log(session.id);
for await (const event of session.prompt(prompt)) {
  if (event.type === "permission.requested") await session.replyPermission(event.data.permission_id, "accept");
}

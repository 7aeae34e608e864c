// Runs an agent that has started children, says their numbers, and waits to be killed.
import { AgentHost } from "interlinear/node";

const [command, cwd, mark] = process.argv.slice(2);
const host = new AgentHost({ agents: { claude: { command } }, env: { FAKE_MARK: mark } });
const session = await host.start({ agent: "claude", cwd });
let children = [];
for await (const { type, data } of session.prompt("children")) {
  if (type === "item.completed" && data.item.role === "assistant") children = JSON.parse(data.item.content[0].text);
}
for await (const _ of session.prompt("orphans"));
console.log(JSON.stringify([session.pid, ...children]));

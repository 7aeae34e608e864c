import type { AgentInfo } from "../../host/index.js";
import type { AgentDescription, Health, ModeDescription, ModelDescription } from "../api.js";
import type { Call } from "../call.js";
import { agentModes } from "../modes.js";
import { refusal } from "../problem.js";
import type { Route } from "../route.js";
import { flag, list, object, text } from "../schema.js";

const description = object({
  id: text,
  name: text,
  installed: flag,
  "version?": text,
  "path?": text,
  "problem?": text,
  install: text,
  features: list(text),
});

/** The agent that the path names. */
async function agentOf(call: Call): Promise<AgentInfo> {
  const id = call.param("agent");
  const known = await call.services.host.agents();
  const agent = known.find((info) => info.id === id);
  if (agent !== undefined) return agent;
  const names = known.map((info) => info.id).join(", ");
  throw refusal("unknown_agent", `there is no agent \`${id}\``, `Use one of ${names}.`);
}

export const agentRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/health",
    id: "getHealth",
    summary: "Whether the server is there. Needs no token.",
    answer: { status: 200, description: "It is.", schema: object({ status: text }) },
    open: true,
    handle: async () => Response.json({ status: "ok" } satisfies Health),
  },
  {
    method: "GET",
    path: "/v1/agents",
    id: "listAgents",
    summary: "The agents, and which of them are installed.",
    answer: { status: 200, description: "All agents.", schema: object({ agents: list(description) }) },
    async handle(call) {
      const agents = (await call.services.host.agents()).map(({ models, modes, variants, ...info }) => info);
      return Response.json({ agents } satisfies { agents: AgentDescription[] });
    },
  },
  {
    method: "GET",
    path: "/v1/agents/{agent}/models",
    id: "listModels",
    summary: "The models that an agent always takes, by name; it takes others too.",
    answer: {
      status: 200,
      description: "Its models.",
      schema: object({ models: list(object({ id: text, "variants?": list(text) })), variants: list(text) }),
    },
    problems: [400],
    async handle(call) {
      const { models, variants } = await agentOf(call);
      const described: ModelDescription[] = models.map((id) => ({ id, variants }));
      return Response.json({ models: described, variants });
    },
  },
  {
    method: "GET",
    path: "/v1/agents/{agent}/modes",
    id: "listModes",
    summary: "How an agent can work, and what it can be allowed to do without asking.",
    answer: {
      status: 200,
      description: "Its modes.",
      schema: object({
        modes: list(object({ id: text, name: text, description: text })),
        permissionModes: list(text),
      }),
    },
    problems: [400],
    async handle(call) {
      const { modes } = await agentOf(call);
      return Response.json({ modes: agentModes(modes) satisfies ModeDescription[], permissionModes: modes });
    },
  },
];

import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { type Problem, problemOf } from "../model/document.js";
import { go } from "../model/route.js";
import { type AgentDescription, server, useServer } from "../model/server.js";
import { AgentMark } from "./agent.js";
import { CopyButton } from "./copy-button.js";

interface Offer {
  readonly models: readonly { readonly id: string; readonly variants?: readonly string[] }[];
  readonly permissionModes: readonly string[];
}

const NO_OFFER: Offer = { models: [], permissionModes: [] };

/** Starts an agent: which one, where, with which model. */
export function NewSession(): ReactNode {
  const { agents } = useServer();
  const [agent, setAgent] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const chosen = agents.find(({ id }) => id === agent) ?? agents.find(({ installed }) => installed) ?? agents[0];
  const offer = useOffer(chosen?.id);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (chosen === undefined) return;
    const given = new FormData(event.currentTarget);
    const filled = ["directory", "model", "variant", "permissionMode"].flatMap((name) => {
      const value = String(given.get(name) ?? "").trim();
      return value === "" ? [] : [[name, value]];
    });
    setBusy(true);
    setProblem(undefined);
    try {
      go({ place: "live", id: await server.create({ agent: chosen.id, ...Object.fromEntries(filled) }) });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form className="new-session" onSubmit={submit}>
      <h1>New session</h1>
      <fieldset className="agents">
        <legend>Agent</legend>
        {agents.map((one) => (
          <AgentChoice key={one.id} agent={one} chosen={one.id === chosen?.id} onChoose={() => setAgent(one.id)} />
        ))}
      </fieldset>
      {chosen?.installed === false && (
        <div className="install">
          {chosen.name} is not installed where the server runs. Install it, then load this page again:
          <code>
            {chosen.install}
            <CopyButton text={chosen.install} label="Copy command" />
          </code>
        </div>
      )}
      <label>
        Folder
        <input name="directory" type="text" placeholder="The folder of the server" spellCheck={false} />
      </label>
      <div className="pair">
        <label>
          Model
          <input name="model" type="text" list="models" placeholder="The agent’s own choice" spellCheck={false} />
          <datalist id="models">
            {offer.models.map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
          </datalist>
        </label>
        <label>
          Variant
          <input name="variant" type="text" list="variants" placeholder="The model’s own" spellCheck={false} />
          <datalist id="variants">
            {[...new Set(offer.models.flatMap(({ variants = [] }) => variants))].map((variant) => (
              <option key={variant}>{variant}</option>
            ))}
          </datalist>
        </label>
      </div>
      <label>
        Permissions
        <select name="permissionMode" defaultValue="">
          <option value="">The agent’s own way</option>
          {offer.permissionModes.map((mode) => (
            <option key={mode}>{mode}</option>
          ))}
        </select>
      </label>
      {problem !== undefined && (
        <p role="alert">
          {problem.message} {problem.cure}
        </p>
      )}
      <button type="submit" className="button main" disabled={busy || chosen?.installed !== true}>
        {busy ? "Starting" : "Start"}
      </button>
    </form>
  );
}

interface AgentChoiceProps {
  readonly agent: AgentDescription;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function AgentChoice({ agent, chosen, onChoose }: AgentChoiceProps): ReactNode {
  return (
    <label data-installed={agent.installed}>
      <input type="radio" name="agent" checked={chosen} onChange={onChoose} />
      <AgentMark agent={agent.id} />
      <span>
        {agent.name}
        <small>{agent.installed ? (agent.version ?? "installed") : "not installed"}</small>
      </span>
    </label>
  );
}

/** What an agent can be asked for. */
function useOffer(agent: string | undefined): Offer {
  const [offer, setOffer] = useState(NO_OFFER);
  useEffect(() => {
    if (agent === undefined) return;
    let current = true;
    void Promise.all([server.models(agent), server.modes(agent)]).then(([models, { permissionModes }]) => {
      if (current) setOffer({ models, permissionModes });
    });
    return () => {
      current = false;
    };
  }, [agent]);
  return offer;
}

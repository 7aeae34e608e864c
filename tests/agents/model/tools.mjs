// Calls in common words → the tool that this agent, in this version, offers the model. Agents name and shape their tools
// differently and change them; what they offer stands in every request.

/** The names that a tool goes by, and all the names that its arguments go by. */
const TOOLS = {
  command: {
    names: ["Bash", "bash", "exec_command", "shell_command", "shell"],
    values: ({ command, timeout }) => ({
      command,
      cmd: command,
      description: "Runs a command",
      ...(timeout !== undefined && { timeout, timeout_ms: timeout, yield_time_ms: timeout }),
    }),
  },
  write: {
    names: ["Write", "write", "create_file", "apply_patch"],
    values: ({ path, content }) => ({ ...pathOf(path), content, input: added(path, content) }),
  },
  edit: {
    names: ["Edit", "edit", "edit_file", "apply_patch"],
    values: ({ path, from, to }) => ({
      ...pathOf(path),
      ...replaced(from, to),
      edits: [replaced(from, to)],
      input: changed(path, from, to),
    }),
  },
  read: {
    names: ["Read", "read", "read_file"],
    values: ({ path }) => pathOf(path),
  },
  ask: {
    names: ["AskUserQuestion", "question", "request_user_input", "ask"],
    values: ({ question, options }) => ({
      question,
      options,
      questions: [
        {
          id: "choice",
          header: "Choice",
          question,
          multiSelect: false,
          multiple: false,
          options: options.map((label) => ({ label, description: `Takes ${label}` })),
        },
      ],
    }),
  },
};

const pathOf = (path) => ({ file_path: path, filePath: path, path });
const replaced = (from, to) => ({
  ...{ old_string: from, oldString: from, old_str: from, oldText: from },
  ...{ new_string: to, newString: to, new_str: to, newText: to },
});
const lines = (sign, text) => text.replace(/\n$/, "").replace(/^/gm, sign);
const patch = (body) => `*** Begin Patch\n${body}\n*** End Patch\n`;
const added = (path, content) => patch(`*** Add File: ${path}\n${lines("+", content)}`);
const changed = (path, from, to) => patch(`*** Update File: ${path}\n@@\n${lines("-", from)}\n${lines("+", to)}`);

/**
 * The tool for a call and its arguments; an object, or the text that a custom tool takes.
 *
 * @param {import("./script.mjs").Call} call
 * @param {import("./script.mjs").Conversation["tools"]} offered
 */
export function callOf(call, offered) {
  const { names, values } = TOOLS[call.tool];
  const tool = names.flatMap((name) => offered.find((one) => one.name === name) ?? [])[0];
  const all = values(call);
  if (tool === undefined) return inShell(call, all, offered);
  return { name: tool.name, custom: tool.custom, input: tool.custom ? all.input : fitted(all, tool.schema) };
}

/** Where there is no tool for it, the shell does it: Codex reads so, and takes a patch as a command too. */
function inShell({ tool, path }, { input }, offered) {
  if (tool === "read") return callOf({ tool: "command", command: `cat ${path}` }, offered);
  if (input !== undefined) return callOf({ tool: "command", command: `apply_patch <<'EOF'\n${input}EOF` }, offered);
  return { name: tool, custom: false, input: {} };
}

/** Of a value, what its schema has a place for. */
function fitted(value, schema) {
  if (Array.isArray(value)) return value.map((one) => fitted(one, schema?.items ?? {}));
  const properties = schema?.properties;
  if (properties === undefined || typeof value !== "object") return asked(value, schema);
  const known = Object.entries(value).filter(([key]) => key in properties);
  return Object.fromEntries(known.map(([key, one]) => [key, fitted(one, properties[key])]));
}

/** A command is a list of words for older tools. */
function asked(value, schema) {
  return typeof value === "string" && schema?.type === "array" ? ["bash", "-lc", value] : value;
}

// Draws what `fold` made: turns, their entries, and what hangs below them. No agent is known here.

/** An element with a class and children; text is only ever set as text. */
function element(name, className, ...children) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== undefined && child !== ""));
  return node;
}

export function drawTranscript({ turns, session }) {
  const fragment = document.createDocumentFragment();
  fragment.append(...turns.map(drawTurn));
  if (session.end)
    fragment.append(element("p", "quiet", `The session ended: ${session.end.reason}. ${session.end.message ?? ""}`));
  return fragment;
}

function drawTurn({ status, metadata, entries }) {
  const { usage = {}, model = "" } = metadata;
  const tokens =
    usage.output_tokens === undefined ? "" : `${usage.input_tokens ?? 0} tokens in, ${usage.output_tokens} out`;
  const footer =
    status === "outside" ? undefined : element("footer", "", [status, model, tokens].filter(Boolean).join(" · "));
  return element("section", "turn", ...entries.map(drawEntry), footer);
}

function drawEntry(entry) {
  const children = entry.children.length > 0 ? element("div", "children", ...entry.children.map(drawEntry)) : undefined;
  const result = entry.result === undefined ? undefined : drawEntry(entry.result);
  return element("div", `entry ${classOf(entry)}`, ...bodyOf(entry), children, result);
}

function classOf(entry) {
  if (entry.type !== "item") return entry.type;
  const { item, retracted } = entry;
  return [item.kind, item.role, item.status, retracted && "retracted"].filter(Boolean).join(" ");
}

function bodyOf(entry) {
  switch (entry.type) {
    case "item":
      return entry.item.content.map((part) => drawPart(part, entry.item));
    case "permission":
      return [
        element(
          "span",
          "quiet",
          `permission: ${entry.permission.title ?? entry.permission.action} → ${entry.permission.status}`,
        ),
      ];
    case "question":
      return [element("span", "", `${entry.question.prompt} → ${entry.question.response ?? entry.question.status}`)];
    case "error":
      return [element("span", "error", entry.error.message)];
    case "unparsed":
      return [element("span", "error", `${entry.unparsed.location}: ${entry.unparsed.error}`)];
    default:
      return [element("pre", "", JSON.stringify(entry.event, null, 2))];
  }
}

function drawPart(part, item) {
  switch (part.type) {
    case "text":
      return element("div", "text", part.text);
    case "reasoning":
      return folded("thought", part.text || "(hidden)");
    case "tool_call":
      return element("code", "", `${part.name} ${part.title ?? part.arguments}`);
    case "tool_result":
      return folded(item.status === "failed" ? "failed" : "result", part.output);
    case "file_ref":
      return part.diff === undefined
        ? element("code", "", `${part.action} ${part.path}`)
        : folded(`${part.action} ${part.path}`, part.diff);
    case "image":
      return drawImage(part);
    case "status":
      return element("span", "quiet", part.detail === undefined ? part.label : `${part.label}: ${part.detail}`);
    default:
      return folded(part.type, JSON.stringify(part.json ?? part, null, 2));
  }
}

function folded(title, text) {
  return element("details", "", element("summary", "quiet", title), element("pre", "", text));
}

function drawImage({ path }) {
  if (!path.startsWith("data:image/")) return element("code", "", path);
  const image = element("img");
  image.src = path;
  image.alt = "an image of the conversation";
  return image;
}

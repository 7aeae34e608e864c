export { type HtmlOptions, toHtml } from "./html.js";
export { titleOf, toMarkdown } from "./markdown.js";

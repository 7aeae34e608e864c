// The page's side of the tests: transcripts are shown from outside, and what is drawn is counted.
import { convert, init } from "interlinear";
import { defaultParts, Transcript, useTranscript } from "interlinear/react";
import "interlinear/react/style.css";
import "./page.css";
import { StrictMode, useRef, version } from "react";
import { createRoot } from "react-dom/client";
import { longSession } from "../story.mjs";

const draws = {};
const count = (name) => {
  draws[name] = (draws[name] ?? 0) + 1;
};

/** Every part, with a count of how often it was drawn, by the name of what it draws. */
const counted = Object.fromEntries(
  ["Message", "ToolCall"].map((name) => {
    const Part = defaultParts[name];
    return [
      name,
      (props) => {
        count(props.entry.key);
        return <Part {...props} />;
      },
    ];
  }),
);

const answers = [];
const actions = {
  replyPermission: (...answer) => void answers.push(["permission", ...answer]),
  replyQuestion: (...answer) => void answers.push(["question", ...answer]),
  rejectQuestion: (...answer) => void answers.push(["reject", ...answer]),
};

function Page({ source, parts, answering }) {
  const { transcript, status, error, progress } = useTranscript(source);
  const handle = useRef(null);
  globalThis.page = { transcript, status, error: error?.message, progress, handle };
  return (
    <Transcript transcript={transcript} parts={parts} handle={handle} {...(answering ? actions : {})} empty={<p>Nothing yet</p>} />
  );
}

/** What people write at first: another source each time. */
function Hasty({ events, dependencies }) {
  const source = async function* open() {
    for (const event of events) {
      yield event;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return <Transcript transcript={useTranscript(source, dependencies).transcript} />;
}

const root = createRoot(document.querySelector("#root"));
let shown = 0;

function show(source, { parts, answering = false, strict = false } = {}) {
  shown += 1;
  answers.length = 0;
  for (const key of Object.keys(draws)) delete draws[key];
  const page = <Page key={shown} source={source} parts={parts} answering={answering} />;
  root.render(strict ? <StrictMode>{page}</StrictMode> : page);
}

/** Another source in the same place, as where one session is chosen after the other. */
const showInPlace = (source) => root.render(<Page key="place" source={source} />);

const showHasty = (events, dependencies) =>
  root.render(<Hasty key={dependencies === undefined} events={events} dependencies={dependencies} />);

/** An async iterable that is fed from outside. */
function channel() {
  const waiting = [];
  let wake = () => {};
  let closed = false;
  return {
    push(...events) {
      waiting.push(...events);
      wake();
    },
    end() {
      closed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift();
        if (closed) return;
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

await init();
Object.assign(globalThis, {
  answers,
  channel,
  convert,
  counted,
  draws,
  longSession,
  react: version,
  show,
  showHasty,
  showInPlace,
  ready: true,
});

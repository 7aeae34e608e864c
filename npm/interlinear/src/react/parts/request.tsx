import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { Question as OneQuestion, PermissionReply, QuestionData } from "../../../types/index.js";
import { visible } from "../../view/safe.js";
import { askedAndAnswered, permissionWords, questionWords } from "../../view/words.js";
import { useKept, useParts } from "../context.js";
import type { PermissionProps, QuestionProps } from "../parts.js";

const REPLIES: readonly { reply: PermissionReply; label: string }[] = [
  { reply: "accept", label: "Allow" },
  { reply: "accept_for_session", label: "Allow for this session" },
  { reply: "reject", label: "Refuse" },
];

/** Sends an answer once; what goes wrong is shown, and can be tried again. */
function useAnswer(): { sending: boolean; problem: string | undefined; send: (answer: () => unknown) => void } {
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = (answer: () => unknown) => {
    setSending(true);
    setProblem(undefined);
    Promise.resolve()
      .then(answer)
      .catch((error: unknown) => {
        setProblem(error instanceof Error ? error.message : String(error));
        setSending(false);
      });
  };
  return { sending, problem, send };
}

/** A permission that the agent asks for: what it wants to do, and the buttons that answer. */
export function Permission({ permission, reply }: PermissionProps): ReactNode {
  const { sending, problem, send } = useAnswer();
  const title = useId();
  const { action, title: wanted, options, status } = permission;
  const waiting = status === "requested";
  if (!waiting) {
    return (
      <p className="il-request" data-status={status}>
        <span className="il-verdict">{permissionWords(permission)}</span>
        <span className="il-title">{visible(wanted ?? action)}</span>
      </p>
    );
  }
  const offered = REPLIES.filter((choice) => options === undefined || options.includes(choice.reply));
  return (
    <section className="il-request" data-status={status} aria-labelledby={title}>
      <h3 id={title}>{permissionWords(permission)}</h3>
      <p>
        <span className="il-name">{visible(action)}</span>
      </p>
      {wanted !== undefined && <pre className="il-wanted">{visible(wanted)}</pre>}
      {reply !== undefined && (
        <div className="il-buttons">
          {offered.map((choice) => (
            <button
              key={choice.reply}
              type="button"
              data-reply={choice.reply}
              disabled={sending}
              onClick={() => send(() => reply(choice.reply))}
            >
              {choice.label}
            </button>
          ))}
        </div>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </section>
  );
}

/** The questions of a request: all of them, however few the agent used to ask. */
function questionsOf({ questions, prompt, options }: QuestionData): readonly OneQuestion[] {
  if (questions !== undefined && questions.length > 0) return questions;
  return [{ text: prompt, options: options.map((label) => ({ label })), free_text: options.length === 0 }];
}

/** A question that the agent asks, with its options; or what was answered. */
export function Question(props: QuestionProps): ReactNode {
  const { Markdown } = useParts();
  const { question } = props;
  if (question.status === "requested") return <OpenQuestion {...props} />;
  return (
    <dl className="il-request" data-status={question.status}>
      {askedAndAnswered(question).map(({ text, answer }, index) => (
        <div key={index}>
          <dt>
            <Markdown text={text} />
          </dt>
          <dd>{visible(answer ?? questionWords(question))}</dd>
        </div>
      ))}
    </dl>
  );
}

const NOTHING = [] as const;

function OpenQuestion({ question, reply, reject }: QuestionProps): ReactNode {
  const { Markdown } = useParts();
  const { sending, problem, send } = useAnswer();
  const questions = questionsOf(question);
  const name = `question:${question.question_id}`;
  const [chosen, setChosen] = useKept<readonly (readonly string[])[]>(`${name}/chosen`, NOTHING);
  const [written, setWritten] = useKept<readonly string[]>(`${name}/written`, NOTHING);
  const title = useId();
  const answers = questions.map((_, index) => {
    const own = written[index]?.trim();
    return [...(chosen[index] ?? []), ...(own ? [own] : [])];
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reply !== undefined) send(() => reply(answers));
  };
  const set = <T,>(list: readonly T[], at: number, value: T) => Object.assign([...list], { [at]: value });
  // Where one answer is asked for, it is the one that was given last.
  const choose = (at: number, labels: readonly string[]) => {
    setChosen(set(chosen, at, labels));
    if (questions[at]?.multi_select !== true) setWritten(set(written, at, ""));
  };
  const write = (at: number, text: string) => {
    setWritten(set(written, at, text));
    if (questions[at]?.multi_select !== true && text.trim() !== "") setChosen(set(chosen, at, []));
  };
  return (
    <form className="il-request" data-status={question.status} aria-labelledby={title} onSubmit={submit}>
      <h3 id={title}>{question.kind === "plan" ? "The agent has a plan" : "The agent asks"}</h3>
      {questions.map((one, index) => (
        <fieldset key={index} disabled={sending || reply === undefined}>
          <legend>
            {one.header !== undefined && <span className="il-header">{visible(one.header)}</span>}
            <Markdown text={one.text} />
          </legend>
          <Choices question={one} chosen={chosen[index] ?? []} choose={(labels) => choose(index, labels)} />
          {(one.free_text === true || one.options.length === 0) && (
            <input
              type="text"
              aria-label={`Your own answer to: ${one.text}`}
              placeholder="Your own answer"
              value={written[index] ?? ""}
              onChange={(event) => write(index, event.target.value)}
            />
          )}
        </fieldset>
      ))}
      <div className="il-buttons">
        {reply !== undefined && (
          <button type="submit" data-reply="accept" disabled={sending || answers.some(({ length }) => length === 0)}>
            Answer
          </button>
        )}
        {reject !== undefined && (
          <button type="button" data-reply="reject" disabled={sending} onClick={() => send(() => reject())}>
            Dismiss
          </button>
        )}
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </form>
  );
}

interface ChoicesProps {
  readonly question: OneQuestion;
  readonly chosen: readonly string[];
  readonly choose: (labels: readonly string[]) => void;
}

function Choices({ question, chosen, choose }: ChoicesProps): ReactNode {
  const name = useId();
  const several = question.multi_select === true;
  const toggle = (label: string) => {
    if (!several) return choose([label]);
    return choose(chosen.includes(label) ? chosen.filter((other) => other !== label) : [...chosen, label]);
  };
  return question.options.map(({ label, description }) => (
    <label key={label} className="il-option">
      <input
        type={several ? "checkbox" : "radio"}
        name={name}
        checked={chosen.includes(label)}
        onChange={() => toggle(label)}
      />
      <span>
        {visible(label)}
        {description !== undefined && <span className="il-note">{visible(description)}</span>}
      </span>
    </label>
  ));
}

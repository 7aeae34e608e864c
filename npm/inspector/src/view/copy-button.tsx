import { type ReactNode, useState } from "react";
import { Icon } from "./icon.js";

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly icon?: "copy" | "link";
}

/** Puts a text where it can be pasted from, and says so. */
export function CopyButton({ text, label, icon = "copy" }: CopyButtonProps): ReactNode {
  const [said, say] = useState<string>();
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => say("Copied"),
      () => say("Not allowed here"),
    );
    setTimeout(() => say(undefined), 1500);
  };
  return (
    <button type="button" className="plain" onClick={copy} aria-label={label} title={label}>
      {said === undefined ? <Icon name={icon} /> : <span role="status">{said}</span>}
    </button>
  );
}

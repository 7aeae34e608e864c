import { type ReactNode, useEffect, useRef } from "react";

/** Lines to be pasted, in a dialog. */
export function PasteDialog({ onClose, onPaste }: { onClose: () => void; onPaste: (text: string) => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="paste" onClose={onClose} aria-labelledby="paste-title">
      <form
        method="dialog"
        onSubmit={(event) => {
          const text = String(new FormData(event.currentTarget).get("lines") ?? "");
          if (text.trim() !== "") onPaste(text);
        }}
      >
        <h2 id="paste-title">Paste lines</h2>
        <p>A stream of an agent, or the text of a session file. They stay in this page.</p>
        <textarea
          name="lines"
          rows={14}
          spellCheck={false}
          aria-label="Lines"
          placeholder='{"type":"system","subtype":"init", …}'
        />
        <div className="dialog-buttons">
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" className="button main">
            Show
          </button>
        </div>
      </form>
    </dialog>
  );
}

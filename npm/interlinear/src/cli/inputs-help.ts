/** What can be read, for the help of every command that reads. */
export const INPUTS = `FILE is a live stream that was saved, a recording of both directions, or a stored session; a session's own folder
beside its file (subagents) is read with it. FOLDER: every session in it. With neither, or with -, standard input.`;

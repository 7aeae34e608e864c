/** Real sessions that are shipped to be looked at: of each agent two, small and rich. */
export const demos = [
  {
    id: "claude-plan",
    agent: "claude",
    title: "A plan, then the work",
    file: "claude/recordings/plan_approved.jsonl",
  },
  {
    id: "claude-subagents",
    agent: "claude",
    title: "Two subagents in parallel",
    file: "claude/recordings/subagent_parallel.jsonl",
  },
  { id: "codex-everything", agent: "codex", title: "A bit of everything", file: "codex/recordings/stored-rich.jsonl" },
  {
    id: "codex-permission",
    agent: "codex",
    title: "A change to be allowed",
    file: "codex/recordings/permission-file-accept.jsonl",
  },
  {
    id: "opencode-files",
    agent: "opencode",
    title: "Several files changed",
    file: "opencode/recordings/multi-file.jsonl",
  },
  {
    id: "opencode-subagent",
    agent: "opencode",
    title: "A subagent asks first",
    file: "opencode/recordings/subagent-permission.jsonl",
  },
  { id: "amp-edit", agent: "amp", title: "A file edited", file: "amp/stored/edit-file/edit-file.uploaded.json" },
  {
    id: "amp-subagent",
    agent: "amp",
    title: "A subagent",
    file: "amp/stored/subagent-task/subagent-task.uploaded.json",
  },
  { id: "pi-plan", agent: "pi", title: "A plan with questions", file: "pi/recordings/plan-mode-approved.jsonl" },
  {
    id: "pi-compaction",
    agent: "pi",
    title: "A compacted context",
    file: "pi/recordings/compaction-manual.jsonl",
  },
];

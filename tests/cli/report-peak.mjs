// Preloaded into a process under test: says at its end how much memory it took at most, in kilobytes.
import { writeSync } from "node:fs";

process.on("exit", () => writeSync(3, `${process.resourceUsage().maxRSS}`));

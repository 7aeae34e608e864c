// The installed Chromium, without a window and without anything that it does by itself.
import { chromium as playwright } from "playwright-core";
import { chromium } from "../scripts/toolchain.mjs";

/** Starts it; `npm run setup` installs it. */
export function launchChromium() {
  return playwright.launch({
    executablePath: chromium(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

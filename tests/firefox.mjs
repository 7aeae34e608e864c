// The installed Firefox, without a window, driven by its own protocol (Marionette): JSON over a socket of loopback.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firefox } from "../scripts/toolchain.mjs";

/** Nothing that Firefox does by itself; any free port. */
const preferences = `
user_pref("marionette.port", 0);
user_pref("app.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
`;

/** Starts it; `npm run setup` installs it. */
export async function launchFirefox() {
  const profile = mkdtempSync(join(tmpdir(), "interlinear-firefox-"));
  writeFileSync(join(profile, "user.js"), preferences);
  const args = ["--headless", "--marionette", "--no-remote", "--new-instance", "--profile", profile];
  const child = spawn(firefox(), args, { stdio: "ignore", env: { ...process.env, HOME: profile } });
  const ended = once(child, "exit");
  const remove = async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    const page = new Page(await connection(profile));
    await page.send("WebDriver:NewSession", { capabilities: { alwaysMatch: { acceptInsecureCerts: false } } });
    return {
      page,
      close: () =>
        page
          .send("Marionette:Quit", { flags: ["eForceQuit"] })
          .catch(() => {})
          .finally(remove),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Firefox writes the port that it took into its profile. */
async function connection(profile) {
  for (let tries = 0; tries < 120; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const port = readPort(join(profile, "MarionetteActivePort"));
    if (port === undefined) continue;
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  }
  throw new Error("Firefox does not answer");
}

function readPort(file) {
  try {
    return Number(readFileSync(file, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

/** The one page. */
class Page {
  #socket;
  #buffer = Buffer.alloc(0);
  #waiting = new Map();
  #count = 0;

  constructor(socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      this.#read();
    });
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Firefox is gone"));
    });
  }

  /** Messages stand after their length: `12:[1,3,null,{}]`. */
  #read() {
    for (;;) {
      const colon = this.#buffer.indexOf(":");
      const end = colon + 1 + Number(this.#buffer.subarray(0, Math.max(0, colon)).toString());
      if (colon < 0 || this.#buffer.length < end) return;
      const message = JSON.parse(this.#buffer.subarray(colon + 1, end).toString());
      this.#buffer = this.#buffer.subarray(end);
      if (!Array.isArray(message)) continue; // the greeting
      const [, id, error, result] = message;
      const { resolve, reject } = this.#waiting.get(id) ?? {};
      this.#waiting.delete(id);
      if (error) reject?.(new Error(`${error.error}: ${error.message}`));
      else resolve?.(result?.value ?? result);
    }
  }

  /** Sends a command; resolves with its answer. */
  send(command, parameters = {}) {
    this.#count += 1;
    const text = JSON.stringify([0, this.#count, command, parameters]);
    this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => this.#waiting.set(this.#count, { resolve, reject }));
  }

  goto(url) {
    return this.send("WebDriver:Navigate", { url });
  }

  /** What a function in the page gives. */
  evaluate(run, ...args) {
    return this.send("WebDriver:ExecuteScript", { script: `return (${run}).apply(null, arguments)`, args });
  }

  /** Waits until a function in the page gives something. */
  async until(run, ...args) {
    for (let tries = 0; tries < 300; tries += 1) {
      const value = await this.evaluate(run, ...args);
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`it never came to this: ${run}`);
  }

  async #find(selector) {
    await this.until((wanted) => document.querySelector(wanted) !== null, selector);
    const element = await this.send("WebDriver:FindElement", { using: "css selector", value: selector });
    return Object.values(element)[0];
  }

  async click(selector) {
    await this.send("WebDriver:ElementClick", { id: await this.#find(selector) });
  }

  /** Types into an element; into one for files, their paths. */
  async type(selector, text) {
    await this.send("WebDriver:ElementSendKeys", { id: await this.#find(selector), text });
  }

  async screenshot(path) {
    writeFileSync(path, Buffer.from(await this.send("WebDriver:TakeScreenshot", { full: false }), "base64"));
  }
}

// The built package in a page of its own, with a strict policy, in a real browser.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { launchChromium } from "../chromium.mjs";
import { serve } from "../serve.mjs";

export const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'";

/**
 * Builds and opens the page.
 *
 * @param {Record<string, string>} alias other packages to build it with
 */
export async function openPage(alias = {}) {
  const folder = mkdtempSync(join(tmpdir(), "interlinear-react-"));
  const root = fileURLToPath(new URL("page", import.meta.url));
  const outDir = join(folder, "page");
  await build({ root, base: "./", logLevel: "error", configFile: false, resolve: { alias }, build: { outDir } });
  const server = await serve({ "/": outDir }, { "content-security-policy": policy });
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  await page.goto(`${server.origin}/`);
  await page.waitForFunction(() => globalThis.ready);
  const close = async () => {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { page, complaints, origin: server.origin, close };
}

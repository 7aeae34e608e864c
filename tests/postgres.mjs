// A Postgres of our own, on a socket in a temporary folder, for as long as a test runs.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { postgres } from "../scripts/toolchain.mjs";

const port = 5432;

/** Postgres refuses to run as root. */
function user() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Makes a database; `start` and `stop` it as often as you like, then `remove` it. */
export function makePostgres() {
  const owner = user();
  const folder = mkdtempSync(join(tmpdir(), "interlinear-pg-"));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const env = { PATH: process.env.PATH, LC_ALL: "C" };
  const options = { ...owner, env, cwd: folder };
  const setUp = ["--username=test", "--auth=trust", "--encoding=UTF8", "--no-sync", "--pgdata", data];
  execFileSync(join(postgres(), "initdb"), setUp, { ...options, stdio: ["ignore", "ignore", "inherit"] });
  let server;

  async function start() {
    const settings = ["listen_addresses=", `unix_socket_directories=${folder}`, `port=${port}`, "fsync=off"];
    const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
    // It ends when it is told the signal, and when this process is gone.
    const script = '"$0" "$@" </dev/null & read signal || signal=QUIT; kill -s $signal $!; wait $!';
    const command = ["-c", script, join(postgres(), "postgres"), ...args];
    server = spawn("sh", command, { ...options, stdio: ["pipe", "ignore", "ignore"] });
    for (let attempt = 0; attempt < 300 && !(await answers(join(folder, `.s.PGSQL.${port}`))); attempt += 1) {
      await sleep(50);
    }
  }

  /** @param {"INT" | "QUIT"} signal the first ends it in order, the second at once */
  async function stop(signal = "QUIT") {
    if (server === undefined) return;
    const gone = once(server, "exit");
    server.stdin.end(`${signal}\n`);
    await gone;
    server = undefined;
  }

  async function remove() {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }

  const url = `postgres://test@/postgres?host=${encodeURIComponent(folder)}&port=${port}`;
  return { url, start, stop, remove };
}

function answers(path) {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

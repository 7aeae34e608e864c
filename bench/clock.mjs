/** Processor time of this process, in microseconds: what others do on this machine does not count. */
export function clock() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

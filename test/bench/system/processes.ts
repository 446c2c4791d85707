// CPU time and memory of processes, read from /proc: Linux only, and without asking the processes.
import { readFileSync, readdirSync } from 'node:fs';

/** Seconds of CPU that a process and its ended children have used. */
export function cpuSeconds(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The name may hold spaces and brackets: the fields begin after the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field] ?? 0), 0);
  return ticks / 100;
}

/** The most memory that a process has had resident so far, MiB. */
export function peakMebibytes(pid: number): number {
  const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1];
  return Number(kibibytes ?? 0) / 1024;
}

/** The pid of a child of this process, by its program's name; 0 when there is none. */
export function childNamed(name: string): number {
  for (const task of readdirSync('/proc/self/task')) {
    for (const child of read(`/proc/self/task/${task}/children`).trim().split(' ')) {
      // The kernel keeps 15 characters of a name.
      if (child !== '' && read(`/proc/${child}/comm`).trim() === name.slice(0, 15)) return Number(child);
    }
  }
  return 0;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

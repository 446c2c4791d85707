// The texts of the files and units that every Ignition node gets, as upstream's template has them.
//
// Nothing here reads or checks; the texts go through YAML afterwards (literal-block.ts).
import type { KubeadmDocuments } from '../node-data.js';

/** The unit that runs kubeadm once. */
export const KUBEADM_UNIT = `[Unit]
Description=kubeadm
# Run only once. After successful run, this file is moved to /tmp/.
ConditionPathExists=/etc/kubeadm.yml
After=network.target
[Service]
# To not restart the unit when it exits, as it is expected.
Type=oneshot
ExecStart=/etc/kubeadm.sh
[Install]
WantedBy=multi-user.target
`;

/** The script that the unit runs. Without verbosity a space stays at the end of kubeadm's line. */
export function kubeadmScript(options: {
  readonly mode: KubeadmDocuments['mode'];
  readonly verbosityFlag: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}): string {
  const command = options.mode === 'init' ? 'init' : 'join';
  return [
    '#!/bin/bash',
    'set -e',
    '',
    ...options.before,
    '',
    `kubeadm ${command} --config /etc/kubeadm.yml ${options.verbosityFlag}`,
    'mkdir -p /run/cluster-api && echo success > /run/cluster-api/bootstrap-success.complete',
    'mv /etc/kubeadm.yml /tmp/',
    '',
    ...options.after,
    '',
  ].join('\n');
}

/** What kubeadm reads. */
export function kubeadmYaml(kubeadm: KubeadmDocuments): string {
  if (kubeadm.mode !== 'init') return `---\n${kubeadm.joinConfiguration}`;
  return `---\n${kubeadm.clusterConfiguration}\n---\n${kubeadm.initConfiguration}`;
}

/** A mount unit. */
export function mountUnit(mount: {
  readonly label: string;
  readonly device: string;
  readonly mountPoint: string;
  readonly options: string;
}): string {
  return `[Unit]
Description = Mount ${mount.label}

[Mount]
What=${mount.device}
Where=${mount.mountPoint}
Options=${mount.options}

[Install]
WantedBy=multi-user.target
`;
}

/** The SSH server's configuration when some users may log in with a password. */
export function sshdConfig(userNames: string): string {
  return `# Use most defaults for sshd configuration.
Subsystem sftp internal-sftp
ClientAliveInterval 180
UseDNS no
UsePAM yes
PrintLastLog no # handled by PAM
PrintMotd no # handled by PAM

Match User ${userNames}
  PasswordAuthentication yes
`;
}

/** The time service's configuration. */
export function ntpConf(servers: readonly string[]): string {
  return `# Common pool
${servers.map((server) => `server ${server}\n`).join('')}
# Warning: Using default NTP settings will leave your NTP
# server accessible to all hosts on the Internet.

# If you want to deny all machines (including your own)
# from accessing the NTP server, uncomment:
#restrict default ignore

# Default configuration:
# - Allow only time queries, at a limited rate, sending KoD when in excess.
# - Allow all local queries (IPv4, IPv6)
restrict default nomodify nopeer noquery notrap limited kod
restrict 127.0.0.1
restrict [::1]
`;
}

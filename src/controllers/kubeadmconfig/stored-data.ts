// What stored bootstrap data tells about itself. Pure. Texts may hold secrets: answers do not.

/** Whether the data initialises a cluster: its command is written plainly in cloud-config, percent-encoded in Ignition. */
export function mentionsInit(text: string): boolean {
  return text.includes('kubeadm init') || text.includes('kubeadm%20init');
}

/** The id of the bootstrap token in join data; empty when there is none. */
export function tokenIdInData(text: string): string {
  const plain = /\btoken: "?([a-z0-9]{6})\.[a-z0-9]{16}\b/.exec(text);
  const encoded = /token%3A%20(?:%22)?([a-z0-9]{6})\.[a-z0-9]{16}/i.exec(text);
  return plain?.[1] ?? encoded?.[1] ?? '';
}

// The page by keyboard: one key, one thing, wherever the focus is but in the filter.

/** What keys do. */
export interface Keys {
  readonly filter: HTMLInputElement;
  readonly list: HTMLElement;
  readonly detail: HTMLElement;
  readonly keys: Readonly<Record<string, () => void>>;
}

/** Listens for keys. `/` goes to the filter, Escape leaves it and the reason, the arrows reach the list from nowhere in particular. */
export function listenToKeys({ filter, list, detail, keys }: Keys): void {
  document.addEventListener('keydown', (event) => {
    if (event.target instanceof HTMLInputElement) {
      if (event.key === 'Escape' || event.key === 'ArrowDown') list.focus();
      return;
    }
    if (document.querySelector('dialog[open]') !== null) return;
    if (event.key === 'Escape' && detail.contains(document.activeElement)) list.focus();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      filter.focus();
      return;
    }
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && event.target === document.body) {
      list.focus();
      return;
    }
    keys[event.key]?.();
  });
}

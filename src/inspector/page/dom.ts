// Small ways to build elements. Text only ever becomes a text node: nothing from the cluster is read as markup.

type Attributes = Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>;

/** Makes an element; `on...` attributes are listeners, false and undefined ones are left out. */
export function el(tag: string, attributes: Attributes = {}, ...children: readonly (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** The element with this id; a missing one is a bug of the page. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}

/** Makes an SVG element. */
export function svg(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** A time that `tick` keeps up to date: how long ago, or how long until. */
export function clock(atMs: number, kind: 'ago' | 'until'): HTMLElement {
  return el('span', { class: 'clock', 'data-at': String(atMs), 'data-kind': kind });
}

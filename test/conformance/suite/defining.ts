// CustomResourceDefinitions through the API: a new kind is served soon, and is gone with its objects when its definition goes.
import { expect, test } from '@jest/globals';

import type { Received, Target } from './target.js';
import type { Given } from './watching.js';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(plural: string, kind: string): object {
  const properties = { spec: { type: 'object', properties: { size: { type: 'integer', default: 3, minimum: 1 } } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.conformance.test` },
    spec: {
      group: 'conformance.test',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
      ],
    },
  };
}

const attemptsMax = 200;

/** Asks again until the answer is as wanted: a real server needs a moment to serve a definition. */
async function until(ask: () => Promise<Received>, wanted: (received: Received) => boolean): Promise<Received> {
  let received = await ask();
  for (let attempt = 0; attempt < attemptsMax && !wanted(received); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    received = await ask();
  }
  return received;
}

function post(target: Target, path: string, body: object): Promise<Received> {
  return target.send({ method: 'POST', path, body: JSON.stringify(body) });
}

/** Registers the tests about definitions. */
export function definitionTests(given: Given): void {
  test('definitions: a new kind -> is established, served, defaulted and validated', async () => {
    const target = given.target();
    const namespace = await given.namespace();
    await post(target, definitions, definition('widgets', 'Widget'));
    const crd = await until(
      () => target.send({ method: 'GET', path: `${definitions}/widgets.conformance.test` }),
      ({ text }) => text.includes('"Established"') && text.includes('the initial names have been accepted'),
    );
    expect(JSON.parse(crd.text)).toMatchObject({
      spec: { names: { listKind: 'WidgetList', singular: 'widget' }, conversion: { strategy: 'None' } },
      status: { storedVersions: ['v1'], acceptedNames: { kind: 'Widget' } },
    });
    const widgets = `/apis/conformance.test/v1/namespaces/${namespace}/widgets`;
    const widget = (size?: number): object => ({
      apiVersion: 'conformance.test/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: size === undefined ? {} : { size },
    });
    const refused = await until(
      () => post(target, widgets, widget(0)),
      ({ status }) => status !== 404,
    );
    expect(refused.status).toBe(422);
    const created = await post(target, widgets, widget());
    expect(created.status).toBe(201);
    expect(JSON.parse(created.text)).toMatchObject({ spec: { size: 3 } });

    await target.send({ method: 'DELETE', path: `${definitions}/widgets.conformance.test` });
    const gone = await until(
      () => target.send({ method: 'GET', path: widgets }),
      ({ status }) => status === 404,
    );
    expect(gone.status).toBe(404);
    const noDefinition = await until(
      () => target.send({ method: 'GET', path: `${definitions}/widgets.conformance.test` }),
      ({ status }) => status === 404,
    );
    expect(noDefinition.status).toBe(404);
  });
}

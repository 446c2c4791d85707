// Lists in all their forms: selectors, limits, metadata only, tables; and deletions of many.
import type { Dialogue } from './dialogue.js';
import { machine } from './dialogues-objects.js';

const secrets = '/api/v1/namespaces/{ns}/secrets';
const configMaps = '/api/v1/namespaces/{ns}/configmaps';
const machines = '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machines';
const events = '/api/v1/namespaces/{ns}/events';
const tableForm = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const metadataForm = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const metadataListForm = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

const names = ['kind', 'apiVersion', 'items'];

function labelled(name: string, labels: object): object {
  return { metadata: { name, labels }, type: name === 'b' ? 'special' : 'Opaque' };
}

/** Stories about lists. */
export const listDialogues: readonly Dialogue[] = [
  {
    title: 'selectors: labels, fields, and what is not supported',
    steps: [
      { do: 'POST', path: secrets, body: labelled('b', { app: 'x', tier: '1' }), show: [] },
      { do: 'POST', path: secrets, body: labelled('a', { app: 'y' }), show: [] },
      { do: 'POST', path: secrets, body: labelled('c', {}), show: [] },
      { do: 'GET', path: secrets, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=app`, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=app%3Dx`, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=app%3D%3Dx`, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=app!%3Dx`, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=!app`, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=app%20in%20(x%2C%20y)%2Ctier`, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=app%20notin%20(x)`, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=tier%3E0`, show: names },
      { do: 'GET', path: `${secrets}?labelSelector=app%20in`, show: ['code', 'reason'] },
      { do: 'GET', path: `${secrets}?fieldSelector=metadata.name%3Da`, show: names },
      { do: 'GET', path: `${secrets}?fieldSelector=type%3Dspecial`, show: names },
      { do: 'GET', path: `${secrets}?fieldSelector=type!%3Dspecial%2Cmetadata.name!%3Da`, show: names },
      { do: 'GET', path: `${secrets}?fieldSelector=metadata.namespace%3D{ns}%2Cmetadata.name%3Dc`, show: names },
      { do: 'GET', path: `${secrets}?fieldSelector=data.x%3Da` },
      { do: 'GET', path: `${machines}?fieldSelector=spec.clusterName%3Da` },
      { do: 'DELETE', path: `${secrets}?labelSelector=app`, show: ['kind', 'apiVersion'] },
      { do: 'GET', path: secrets, show: names },
    ],
  },
  {
    title: 'custom lists: kinds inside and outside',
    steps: [
      { do: 'GET', path: machines },
      { do: 'POST', path: machines, body: machine('m2'), show: [] },
      { do: 'POST', path: machines, body: machine('m1'), show: [] },
      { do: 'GET', path: machines },
      { do: 'GET', path: `${machines}?limit=1`, show: ['kind', 'items', 'metadata.remainingItemCount'] },
      { do: 'DELETE', path: machines, show: ['kind'] },
      { do: 'GET', path: machines },
    ],
  },
  {
    title: 'pages: each continues the one before',
    steps: [
      { do: 'POST', path: configMaps, body: { metadata: { name: 'a' } }, show: [] },
      { do: 'POST', path: configMaps, body: { metadata: { name: 'b' } }, show: [] },
      { do: 'POST', path: configMaps, body: { metadata: { name: 'c' } }, show: [] },
      { do: 'GET', path: `${configMaps}?limit=2`, save: 'first' },
      { do: 'DELETE', path: `${configMaps}/c`, show: [] },
      { do: 'POST', path: configMaps, body: { metadata: { name: 'd' } }, show: [] },
      { do: 'GET', path: `${configMaps}?limit=2&continue={first.metadata.continue}`, show: names },
      {
        do: 'GET',
        path: `${configMaps}?resourceVersion={first.metadata.resourceVersion}&resourceVersionMatch=Exact`,
        show: names,
      },
      {
        do: 'GET',
        path: `${configMaps}?resourceVersion={first.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`,
        show: names,
      },
      { do: 'GET', path: `${configMaps}?resourceVersion={first.metadata.resourceVersion}`, show: names },
      { do: 'GET', path: `${configMaps}?resourceVersion=0`, show: ['kind'] },
      { do: 'GET', path: `${configMaps}?limit=2&continue=nonsense`, show: ['code', 'reason'] },
      { do: 'GET', path: `${configMaps}?resourceVersionMatch=Exact`, show: ['code', 'reason'] },
      { do: 'GET', path: `${configMaps}?resourceVersion=0&resourceVersionMatch=Exact`, show: ['code', 'reason'] },
      { do: 'GET', path: `${configMaps}?resourceVersion=x`, show: ['code', 'reason'] },
      { do: 'GET', path: `${configMaps}?watch=true&resourceVersion=x`, show: ['code', 'reason'] },
      { do: 'GET', path: `${configMaps}?resourceVersion=999999999`, show: ['code', 'reason', 'details.causes'] },
    ],
  },
  {
    title: 'metadata only: one object and lists',
    steps: [
      { do: 'POST', path: machines, body: machine('m1', {}, { labels: { a: 'b' } }), show: [] },
      { do: 'GET', path: `${machines}/m1`, accept: metadataForm },
      { do: 'GET', path: machines, accept: metadataListForm },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { labels: { c: 'd' } } },
        contentType: 'application/merge-patch+json',
        accept: metadataForm,
      },
      { do: 'GET', path: machines, accept: 'application/xml', show: ['code', 'reason'] },
    ],
  },
  {
    title: 'tables: columns and cells of custom and built-in kinds',
    steps: [
      { do: 'POST', path: machines, body: machine('m1', { version: 'v1.2.3', providerID: 'demo://m1' }), show: [] },
      {
        do: 'PATCH',
        path: `${machines}/m1/status`,
        contentType: 'application/merge-patch+json',
        show: [],
        body: {
          status: {
            phase: 'Running',
            nodeRef: { name: 'n1' },
            conditions: [
              { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
            ],
          },
        },
      },
      { do: 'GET', path: `${machines}?includeObject=None`, accept: tableForm, show: ['kind', 'apiVersion', 'rows'] },
      { do: 'GET', path: `${machines}/m1?includeObject=None`, accept: tableForm, show: ['kind', 'rows'] },
      { do: 'POST', path: secrets, body: { metadata: { name: 's1' }, stringData: { a: 'b' } }, show: [] },
      { do: 'GET', path: `${secrets}/s1`, accept: tableForm, show: ['kind', 'rows'] },
      {
        do: 'POST',
        path: configMaps,
        body: { metadata: { name: 'c1' }, data: { a: 'b' }, binaryData: { c: 'ZA==' } },
        show: [],
      },
      { do: 'GET', path: `${configMaps}?includeObject=None`, accept: tableForm, show: ['rows'] },
      { do: 'GET', path: `${configMaps}?includeObject=Sideways`, accept: tableForm, show: ['code', 'reason'] },
    ],
  },
  {
    title: 'events: found by the object they are about',
    steps: [
      {
        do: 'POST',
        path: events,
        body: {
          metadata: { name: 'e1' },
          involvedObject: { apiVersion: 'v1', kind: 'Secret', namespace: '{ns}', name: 's1', uid: 'u-1' },
          reason: 'R',
          message: 'M',
          type: 'Warning',
          source: { component: 'me' },
          count: 1,
          firstTimestamp: '2026-01-01T00:00:00Z',
          lastTimestamp: '2026-01-01T00:00:00Z',
        },
        show: ['involvedObject', 'reason', 'type', 'count'],
      },
      {
        do: 'GET',
        path: `${events}?fieldSelector=involvedObject.name%3Ds1%2CinvolvedObject.namespace%3D{ns}%2CinvolvedObject.kind%3DSecret%2CinvolvedObject.uid%3Du-1&limit=500`,
        show: ['kind', 'items.0.reason'],
      },
      { do: 'GET', path: `${events}?fieldSelector=involvedObject.name%3Dother`, show: ['kind', 'items'] },
      {
        do: 'PATCH',
        path: `${events}/e1`,
        contentType: 'application/merge-patch+json',
        body: { count: 2 },
        show: ['count'],
      },
      { do: 'GET', path: `${events}?fieldSelector=type%3DWarning%2Creason%3DR`, show: ['items.0.count'] },
    ],
  },
];

// Answers one ConversionReview.
//
// Either all objects are converted, in the order they came, or none is: the API server accepts nothing else.
// Whoever converts a long list lets others run between two objects.

import { convert } from '../api/kubeadmconfig/conversion.js';
import { isObject, type JsonObject } from '../api/wire.js';

/** An answer, or why the review itself cannot be read (the server then says code 400). */
export type ConversionAnswer =
  { readonly review: JsonObject; readonly failure?: string } | { readonly unreadable: string };

/** Converts the objects of a review; `rest` runs between two of them. */
export async function answerConversion(review: unknown, rest: () => Promise<void>): Promise<ConversionAnswer> {
  if (!isObject(review)) return { unreadable: 'the body is not a ConversionReview' };
  const { apiVersion, kind, request } = review;
  if (kind !== 'ConversionReview' || apiVersion !== 'apiextensions.k8s.io/v1') {
    return { unreadable: 'the body is not an apiextensions.k8s.io/v1 ConversionReview' };
  }
  if (!isObject(request)) return { unreadable: 'the ConversionReview has no request' };
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== 'string' || typeof desiredAPIVersion !== 'string' || !Array.isArray(objects)) {
    return { unreadable: 'the request must have uid, desiredAPIVersion and objects' };
  }
  const convertedObjects: JsonObject[] = [];
  for (const [index, object] of objects.entries()) {
    if (index > 0) await rest();
    const outcome = isObject(object)
      ? converted(object, desiredAPIVersion)
      : { failure: 'an object to convert is not an object' };
    if ('failure' in outcome) return failed(uid, outcome.failure);
    convertedObjects.push(outcome.object);
  }
  return answered({ uid, convertedObjects, result: { metadata: {}, status: 'Success' } });
}

/** One object. What a bug throws is that object's failure, and says which object it is. */
function converted(object: JsonObject, desiredApiVersion: string): ReturnType<typeof convert> {
  try {
    return convert(object, desiredApiVersion);
  } catch (error) {
    const { metadata } = object;
    const { namespace, name } = isObject(metadata) ? metadata : {};
    const which = [object['kind'], namespace, name].map((part) => (typeof part === 'string' ? part : '?')).join(' ');
    return { failure: `${which} cannot be converted: ${String(error)}` };
  }
}

function failed(uid: string, failure: string): ConversionAnswer {
  const response = { uid, convertedObjects: [], result: { metadata: {}, status: 'Failure', message: failure } };
  return { ...answered(response), failure };
}

function answered(response: JsonObject): { readonly review: JsonObject } {
  return { review: { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', response } };
}

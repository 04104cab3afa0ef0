/**
 * A vector in its stored form: integers, because only the direction counts and integers are a third as long as
 * fractions. Few dimensions bear a coarser scale.
 */
export function vectorText(vector: Float32Array): string {
  let largest = 0;
  for (const each of vector) if (Math.abs(each) > largest) largest = Math.abs(each);
  const scale = vector.length <= fewDimensions ? 127 : 1000;
  const usable = largest > 0 && largest < Infinity;
  const numbers = Array.from(vector, (each) => (usable ? Math.round((each / largest) * scale) || 0 : 0));
  return `[${numbers.join(",")}]`;
}

const fewDimensions = 384;

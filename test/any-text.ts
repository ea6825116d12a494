import fc from 'fast-check';

/**
 * Any character but the halves of surrogate pairs: fast-check's `binary` lists all of them, which takes a second for each
 * arbitrary.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
	.oneof(
		fc.integer({max: 0x7f, min: 0}),
		fc.integer({max: 0xd7_ff, min: 0}),
		fc.integer({max: 0x10_ff_ff, min: 0xe0_00}),
	)
	.map(point => String.fromCodePoint(point));

/** Any text that UTF-8 can encode. */
export function anyText(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
	return fc.string({...constraints, unit: anyCharacter});
}

/** What of a conversation can be copied. */
export const copyKinds = ['answer', 'code', 'command', 'output', 'message'] as const;
export type CopyKind = (typeof copyKinds)[number];

/** A text to copy, as its author wrote it. Untrusted. */
export type Copyable = {
	readonly kind: CopyKind;
	/** From 1, the newest one, among those of its kind. */
	readonly number: number;
	/** What it is, such as the language of code; may be empty. */
	readonly about: string;
	readonly text: string;
};

const names = {
	answer: 'the last answer',
	message: 'your last message',
	code: 'code',
	command: 'command',
	output: 'output of command',
} as const;

/** Returns what it is, in a few words: “code 2 (ts)”. Not safe to draw. */
export function nameOf({kind, number, about}: Copyable): string {
	return kind === 'answer' || kind === 'message'
		? names[kind]
		: `${names[kind]} ${number}${about && kind === 'code' ? ` (${about})` : ''}`;
}

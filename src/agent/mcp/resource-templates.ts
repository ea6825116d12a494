import type {Completion, Connection, ListedResource} from './connection.ts';

/** Most templates that are completed at once, and most values of each. */
const maxTemplates = 3;
const maxValues = 50;
/** How long a server may take for one value. */
const timeoutMs = 3000;

type Part = {readonly literal: string} | {readonly variable: string; readonly isReserved: boolean};

/** A template whose variable is being typed. */
export type OpenTemplate = Completion & {
	/** What is typed before the value. */
	readonly before: string;
	/** The template behind the variable. */
	readonly after: string;
	/** True if the value may have characters such as `/`. */
	readonly isReserved: boolean;
	readonly about: string;
};

/** Returns the parts of a template with variables such as `{name}` and `{+path}`; undefined for other ones (RFC 6570). */
function partsOf(template: string): readonly Part[] | undefined {
	const parts = template.split(/(\{\+?[\w.]+\})/).filter(Boolean);
	const read = parts.map((text): Part => {
		const [, plus = '', variable] = /^\{(\+?)([\w.]+)\}$/.exec(text) ?? [];
		return variable === undefined ? {literal: text} : {variable, isReserved: plus === '+'};
	});
	return read.some(part => 'literal' in part && /[{}]/.test(part.literal)) ? undefined : read;
}

/** Returns a template with the variable that the user types; undefined if they don't type one of it. */
export function openTemplate({uri, about, isTemplate}: ListedResource, typed: string): OpenTemplate | undefined {
	const parts = isTemplate ? partsOf(uri) : undefined;
	const known: Record<string, string> = Object.create(null);
	let at = 0;
	for (const [index, part] of (parts ?? []).entries()) {
		if ('literal' in part) {
			if (!typed.startsWith(part.literal, at)) {
				return undefined;
			}

			at += part.literal.length;
			continue;
		}

		const next = parts?.[index + 1];
		const end = next && 'literal' in next ? typed.indexOf(next.literal, at) : -1;
		if (end === -1) {
			const after = (parts ?? [])
				.slice(index + 1)
				.map(textOf)
				.join('');
			const [before, value] = [typed.slice(0, at), decoded(typed.slice(at))];
			return {template: uri, name: part.variable, value, known, before, after, isReserved: part.isReserved, about};
		}

		known[part.variable] = decoded(typed.slice(at, end));
		at = end;
	}

	return undefined;
}

function textOf(part: Part): string {
	return 'literal' in part ? part.literal : `{${part.isReserved ? '+' : ''}${part.variable}}`;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * Returns the resources that the server proposes for what is typed, each a template if it has more variables. Never throws but
 * the signal's reason: a server that fails or takes long proposes nothing.
 */
export async function completeTemplates(
	{complete}: Pick<Connection, 'complete'>,
	open: readonly OpenTemplate[],
	signal: AbortSignal,
): Promise<readonly ListedResource[]> {
	const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
	const found = await Promise.all(
		open.slice(0, maxTemplates).map(async template => {
			const values = await complete(template, until).catch(() => []);
			return values.slice(0, maxValues).map(value => {
				// A lone half of a character has no encoding.
				const whole = value.replace(/\p{Cs}/gu, '\uFFFD');
				const encoded = template.isReserved ? encodeURI(whole) : encodeURIComponent(whole);
				const uri = `${template.before}${encoded}${template.after}`;
				return {uri, about: template.about, isTemplate: template.after.includes('{')};
			});
		}),
	);
	signal.throwIfAborted();
	return found.flat();
}

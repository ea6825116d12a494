import {randomBytes} from 'node:crypto';
import {readdirSync, readFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {gunzipSync, inflateRawSync, inflateSync} from 'node:zlib';
import type {Random} from './fault.ts';

/** A secret of a test, and where it may be. */
export type Canary = {
	readonly name: string;
	readonly value: string;
	/** True for a place that must or may have it, such as the store of credentials. */
	readonly mayBeIn: (place: string) => boolean;
};

/** Bytes that a program left or sent, and where. */
export type Trace = {readonly place: string; readonly bytes: Buffer};

/** What a host does with a secret that has them: characters that JSON, URLs, HTML and shells write differently. */
const special = ['"', '\\', '&', '+', '/', '=', '%', "'", '<', '#', '@', ':'];
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a secret of no known kind, so that only a program that knows it hides it; with characters that are escaped, if wanted. */
export function drawSecret(random: Random, {from = letters, isEscaped = false, length = 40} = {}): string {
	const drawn = Array.from({length}, () => from[random.below(from.length)]);
	if (isEscaped) {
		for (let at = 7; at < length; at += 9) {
			drawn[at] = random.pick(special);
		}
	}

	return drawn.join('');
}

/** Characters in a row that count as a leak; more than the four that lists of keys show. */
const pieceLength = 12;

const eachByte = (value: string, write: (byte: number) => string) => [...Buffer.from(value)].map(write).join('');
const hexOf = (byte: number) => byte.toString(16).padStart(2, '0');

/** Returns every text by which a value is recognized: pieces of it, and what encoders make of it, at any beginning. */
export function formsOf(value: string): ReadonlyMap<string, string> {
	const bytes = Buffer.from(value);
	const escaped = JSON.stringify(value).slice(1, -1);
	const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
	const forms: Array<readonly [string, string]> = [
		['its beginning', value.slice(0, pieceLength)],
		['its middle', value.slice((value.length - pieceLength) >> 1).slice(0, pieceLength)],
		['its end', value.slice(-pieceLength)],
		['JSON', escaped],
		['JSON in JSON', JSON.stringify(escaped).slice(1, -1)],
		['\\u escapes', eachByte(value, byte => `\\u00${hexOf(byte)}`)],
		['a URL', encodeURIComponent(value)],
		['a form', new URLSearchParams({v: value}).toString().slice(2)],
		['%xx', eachByte(value, byte => `%${hexOf(byte)}`)],
		['%XX', eachByte(value, byte => `%${hexOf(byte).toUpperCase()}`)],
		['hex', bytes.toString('hex')],
		['HEX', bytes.toString('hex').toUpperCase()],
		['HTML', html.replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
		['UTF-16', Buffer.from(value, 'utf16le').toString('latin1')],
		...[0, 1, 2].flatMap(shift => {
			const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64url');
			// The characters at its ends are also of what surrounds it.
			const whole = text.slice([0, 2, 3][shift], (bytes.length + shift) % 3 === 0 ? undefined : -1);
			return [
				['base64url', whole],
				['base64', whole.replaceAll('-', '+').replaceAll('_', '/')],
			] as const;
		}),
	];
	return new Map(forms.map(([name, text]) => [text, name]));
}

/** Returns a sentence for each canary that is somewhere else than where it may be. */
export function findLeaks(canaries: readonly Canary[], traces: readonly Trace[]): readonly string[] {
	const sought = canaries.map(canary => ({...canary, forms: [...formsOf(canary.value)]}));
	return traces.flatMap(({place, bytes}) => {
		const texts = textsOf(bytes);
		return sought.flatMap(({name, mayBeIn, forms}) => {
			const form = mayBeIn(place) ? undefined : forms.find(([text]) => texts.some(all => all.includes(text)));
			return form ? [`${name} (${form[1]}) is in ${place}: ${around(texts, form[0])}`] : [];
		});
	});
}

/** Returns true if a canary is in any of these traces. */
export function isFound({value}: Pick<Canary, 'value'>, traces: readonly Trace[]): boolean {
	const forms = [...formsOf(value).keys()];
	return traces.some(({bytes}) => textsOf(bytes).some(text => forms.some(form => text.includes(form))));
}

/** The texts of the bytes of traces, which are searched for each canary. */
const read = new WeakMap<Buffer, readonly string[]>();

function textsOf(bytes: Buffer): readonly string[] {
	const texts = read.get(bytes) ?? [bytes, ...inflated(bytes)].map(readable => readable.toString('latin1'));
	read.set(bytes, texts);
	return texts;
}

/** Returns what surrounds the first match. */
function around(texts: readonly string[], form: string): string {
	const text = texts.find(all => all.includes(form)) ?? '';
	const at = text.indexOf(form);
	return JSON.stringify(text.slice(Math.max(0, at - 120), at + form.length + 40));
}

/** Returns what compressed bytes hold. */
function inflated(bytes: Buffer): readonly Buffer[] {
	return [gunzipSync, inflateSync, inflateRawSync].flatMap(inflate => {
		try {
			return [inflate(bytes)];
		} catch {
			return [];
		}
	});
}

/** Returns every file below a folder, links aside, and every name. */
export function tracesBelow(folder: string): readonly Trace[] {
	const entries = readdirSync(folder, {recursive: true, withFileTypes: true});
	return entries.flatMap(entry => {
		const path = join(entry.parentPath, entry.name);
		const place = relative(folder, path);
		const name = {place: `the name ${place}`, bytes: Buffer.from(place)};
		return entry.isFile() ? [name, {place: `the file ${place}`, bytes: readFileSync(path)}] : [name];
	});
}

/** Returns the arguments and the environment of a process, and of all below it, that run at this moment. */
export function tracesOfProcesses(pid: number): readonly Trace[] {
	return descendantsOf(pid).flatMap(child => {
		try {
			const own = cmdlineOf(pid);
			const words = cmdlineOf(child);
			// A fork that has not become another program yet has everything of its parent; one that has ended has no words.
			const isFork = words.equals(own) || words.length === 0;
			const called = words.toString('latin1').replaceAll('\0', ' ').trim();
			return isFork
				? []
				: [
						{place: `the arguments of ${called}`, bytes: words},
						{place: `the environment of ${called}`, bytes: readFileSync(`/proc/${child}/environ`)},
					];
		} catch {
			// It ended meanwhile, or isn't ours.
			return [];
		}
	});
}

const cmdlineOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`);

/** Returns the processes below one: proc(5). */
export function descendantsOf(pid: number): readonly number[] {
	try {
		const tasks = readdirSync(`/proc/${pid}/task`);
		const children = tasks.flatMap(task =>
			readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
		);
		return children.flatMap(child => [child, ...descendantsOf(child)]);
	} catch {
		return [];
	}
}

/** Returns bytes that no search may take for text. */
export const noise = () => randomBytes(64);

import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const folder = fileURLToPath(new URL('../../../shared/streams/', import.meta.url));

type Expected = {
	readonly id: string;
	readonly wire: string;
	readonly vendor: string;
	readonly text: string;
	readonly reasoning: string;
	readonly tool_calls: readonly {readonly name: string; readonly arguments: object}[];
	readonly finish: string;
	readonly usage: Readonly<Record<string, number>>;
	readonly error: boolean;
};

export type Recording = Expected & {readonly bytes: Uint8Array};

/** Streams that vendors sent. They are not ours, so they are kept beside the repository and may be absent. */
export const recordings: readonly Recording[] = existsSync(folder) ? read() : [];

export const haveRecordings = recordings.length > 0;

if (!haveRecordings) {
	console.warn('No recorded streams in ../shared/streams: the tests that replay them are skipped.');
}

function read(): readonly Recording[] {
	return readdirSync(folder)
		.filter(name => name.endsWith('.json'))
		.map(name => ({
			...(JSON.parse(readFileSync(folder + name, 'utf8')) as Expected),
			bytes: readFileSync(folder + name.replace(/json$/, 'sse')),
		}));
}

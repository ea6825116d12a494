import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** Streams that we made, in the form of each wire format. */
const made = fileURLToPath(new URL('../fixtures/streams/', import.meta.url));

/** Streams that vendors sent. They are not ours, so they are kept beside the repository and may be absent. */
const recorded = fileURLToPath(new URL('../../../shared/streams/', import.meta.url));

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

/** Streams with what a client must read from them: ours, and those of vendors if they are there. */
export const recordings: readonly Recording[] = [made, recorded].filter(existsSync).flatMap(read);

if (!existsSync(recorded)) {
	console.warn('No recorded streams in ../shared/streams: only those in test/fixtures/streams are replayed.');
}

function read(folder: string): readonly Recording[] {
	return readdirSync(folder)
		.filter(name => name.endsWith('.json'))
		.map(name => ({
			...(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Expected),
			bytes: readFileSync(join(folder, name.replace(/json$/, 'sse'))),
		}));
}

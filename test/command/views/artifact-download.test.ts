import {expect, test} from 'vitest';
import {fileNameOf, readArtifact} from '../../../src/command/views/artifact-download.ts';
import type {Transport} from '../../../src/net/transport.ts';

const url = 'https://storage.example/a';

function storage(chunks: readonly string[], status = 200): Transport {
	return async () => ({
		status,
		headers: {},
		body: (async function* () {
			yield* chunks.map(chunk => Buffer.from(chunk));
		})(),
	});
}

async function read(size_bytes: number | undefined, transport: Transport, clock: readonly number[] = []) {
	const said: string[] = [];
	const times = [0, ...clock];
	const options = {
		transport,
		signal: new AbortController().signal,
		progress: (text: string) => said.push(text),
		now: () => times.shift() ?? 0,
	};
	const chunks: Uint8Array[] = [];
	const artifact = size_bytes === undefined ? {url} : {url, size_bytes};
	for await (const chunk of readArtifact(artifact, options)) {
		chunks.push(chunk);
	}

	return {text: Buffer.concat(chunks).toString(), said};
}

test('a quick download shows no progress', async () => {
	expect(await read(4, storage(['ab', 'cd']), [100, 299])).toEqual({text: 'abcd', said: []});
});

test('a long download shows its progress at a readable rate, then clears the line', async () => {
	const {said} = await read(8, storage(['ab', 'cd', 'ef', 'gh']), [100, 300, 399, 400]);
	expect(said).toEqual(['Saving: 4 B of 8 B, 50%', 'Saving: 8 B of 8 B, 100%', '']);
	expect((await read(undefined, storage(['ab']), [300])).said).toEqual(['Saving: 2 B', '']);
});

test.each([
	[5, ['abcd'], 'The download stopped after 4 of 5 bytes.'],
	[3, ['ab', 'cd'], 'The artifact is larger than the 3 B limit.'],
	[0, ['a'], 'The artifact is larger than the 0 B limit.'],
])('%d bytes that are %j are refused', async (size, chunks, message) => {
	await expect(read(size, storage(chunks))).rejects.toMatchObject({code: 'network', message});
});

test.each([
	[{filename: 'cat.png'}, 'cat.png'],
	[{filename: '../../etc/passwd'}, 'passwd'],
	[{filename: 'C:\\temp\\cat.png'}, 'cat.png'],
	[{filename: '.bashrc'}, 'bashrc'],
	[{filename: '-rf'}, 'rf'],
	[{filename: 'a\u001B[2J\n$(x);.png'}, 'a__2J___x__.png'],
	[{filename: 'Bericht für Ådne.pdf'}, 'Bericht für Ådne.pdf'],
	[{filename: 'x'.repeat(300)}, 'x'.repeat(100)],
	[{filename: 'NUL.txt', oid: 'a1'}, 'a1'],
	[{filename: '..', oid: 'sha256:ab/cd'}, 'cd'],
	[{filename: ''}, 'artifact'],
	[{}, 'artifact'],
])('%j is saved as %s', (artifact, name) => {
	expect(fileNameOf(artifact)).toBe(name);
});

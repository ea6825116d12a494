import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {parseJson} from '../../src/core/json.ts';
import {parseRecorded} from '../../src/core/session/event.ts';
import {homeAt} from '../../src/storage/home.ts';
import {sessionFiles} from '../../src/storage/session-folder.ts';
import {apiKey} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';
import {createRandom} from '../faults/fault.ts';

const seed = 31;
const kills = 5;

test(`after ${kills} kills of host and terminal at random moments, the journal is whole and nothing comes back by itself (seed ${seed})`, async () => {
	const random = createRandom(seed);
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const home = join(folderWith(), 'home');
	const place: Place = {home, folder, env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey}};
	model.answerWith(async ({say, finish, closed}) => {
		let isOpen = true;
		void closed.then(() => {
			isOpen = false;
		});
		for (let piece = 0; piece < 40 && isOpen; piece++) {
			say(`Piece ${piece}. `);
			await sleep(10);
		}

		finish();
	});
	for (let round = 0; round < kills; round++) {
		const host = startProgram(['host', '--json'], place);
		await expect.poll(host.written).toContain('"socket"');
		const before = await runProgram(['attach', '--json'], place);
		// Sessions of the host that was killed are saved, and run nowhere.
		expect(JSON.parse(before.stdout)).toEqual([]);
		const one = startTerminal({...place, args: ['attach', '--new']});
		await one.waitFor('○ idle');
		one.type(`Message ${round}\r`);
		await one.waitFor('Piece 0.');
		const [{id}] = JSON.parse((await runProgram(['attach', '--json'], place)).stdout);
		if (round % 2 === 1) {
			// The session lives without its terminal, and another one gets all of it.
			one.kill('SIGKILL');
			await one.exit();
			const two = startTerminal({...place, args: ['attach', id]});
			await two.waitFor(`Message ${round}`);
			await two.waitFor('Piece 39.');
		}

		await sleep(random.below(50));
		host.child.kill('SIGKILL');
		await host.ended;
		const file = (await sessionFiles(homeAt(home))).find(each => each.id === id);
		const lines = readFileSync(file?.path ?? '', 'utf8').split('\n');
		// The last line may be cut where the process was killed; none before it is.
		const records = lines.flatMap((line, index) => {
			const record = parseRecorded(parseJson(line));
			expect(record !== undefined || index === lines.length - 1).toBe(true);
			return record ?? [];
		});
		expect(records.map(({seq}) => seq)).toEqual(records.map((_, index) => index));
		expect(records.filter(({event}) => event.type === 'user-message')).toHaveLength(1);
		if (round % 2 === 0) {
			await one.waitFor('gone');
			one.kill('SIGKILL');
		}
	}
});

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {temporaryHome} from '../../storage/temporary.ts';
import {runApp} from '../running-app.ts';

test('what was opened before the keys of the user were read, or changed, names them then', async () => {
	const {type, waitFor, store} = runApp();
	await waitFor('Demo model');
	type('?');
	await waitFor('Ctrl+O         full transcript');
	store.getState().setOwnKeys({'app.transcript': ['ctrl+t'], 'transcript.search': ['f'], 'prompt.transpose': []});
	await waitFor('Ctrl+T         full transcript');
	type('\u0014');
	await waitFor('f search');
	store.getState().setOwnKeys({'transcript.search': ['alt+s']});
	await waitFor('Alt+S search');
});

test('the app has the keys of the user in a list, in the transcript and on the page that lists them', async () => {
	const home = temporaryHome();
	const own = {
		...{'panel.down': 'ctrl+j', 'panel.open': 'ctrl+o', 'prompt.newline': 'alt+enter'},
		...{'app.transcript': 'ctrl+t', 'transcript.close': 'Q', 'transcript.copy': 'y'},
	};
	writeFileSync(join(home.path, 'settings.json'), JSON.stringify({keys: own}));
	const {type, waitFor, settle, lines} = runApp({home});
	await waitFor('Demo model');
	type('?');
	await waitFor('Ctrl+T         full transcript');
	type('\u0014');
	await waitFor('y copy');
	type('q');
	await settle();
	expect(lines()[0]).toMatch(/^Transcript/);
	type('Q');
	await waitFor('❯ Ask something');

	type('/help\r');
	await waitFor('Ctrl+O open · Tab sort');
	type('\r');
	for (let pressed = 0; pressed < 30 && !lines().some(line => line.startsWith('❯ /resume')); pressed++) {
		type('\n');
		await settle();
	}

	await waitFor('❯ /resume');
	type('\u000f');
	await waitFor('Usage: /resume');
});

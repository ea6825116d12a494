import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {parseJson} from '../../src/core/json.ts';
import {parseRecorded} from '../../src/core/session/event.ts';
import {homeAt} from '../../src/storage/home.ts';
import {sessionFiles} from '../../src/storage/session-folder.ts';
import {apiKey, quit} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';

/** A host that listens for WebSocket, with a session that has an answer. */
async function startListening() {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const home = join(folderWith(), 'home');
	const place: Place = {home, folder, env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey}};
	const host = startProgram(['host', '--listen', '127.0.0.1:0', '--json'], place);
	await expect.poll(host.written).toContain('\n');
	const {url} = JSON.parse(host.written());
	return {model, folder, home, place, url, other: {home: join(folderWith(), 'other'), folder, env: {}} satisfies Place};
}

test('[34] a host that listens lets in who has its token, and by a link one who watches until it is revoked', async () => {
	const {model, home, place, url, other} = await startListening();
	model.answerWith(({say, finish}) => {
		say('Seen by both.');
		finish();
	});
	expect(statSync(join(home, 'host', 'token')).mode & 0o777).toBe(0o600);
	const owner = startTerminal({...place, args: ['attach', '--at', url, '--new']});
	await owner.waitFor('○ idle');
	owner.type('Say it\r');
	await owner.waitFor('Seen by both.');
	const {stdout} = await runProgram(['attach', '--at', url, '--json'], place);
	const [{id}] = JSON.parse(stdout);

	const stranger = await runProgram(['attach', '--at', url], other);
	expect(stranger.status).not.toBe(0);
	const shared = await runProgram(['host', 'share', id.slice(0, 8), '--json'], place);
	expect(shared.stderr).toBe('');
	const {link, role, id: linkId} = JSON.parse(shared.stdout);
	expect(role).toBe('observer');
	const guest = startTerminal({...other, args: ['attach', '--at', link]});
	await guest.waitFor('Seen by both.');
	await guest.waitFor('watching');
	const again = await runProgram(['attach', '--at', link], other);
	expect(again.status).toBe(4);
	expect(again.stderr).toContain('it was used');

	const listed = await runProgram(['host', 'shares', '--json'], place);
	expect(JSON.parse(listed.stdout)).toMatchObject([{id: linkId, role: 'observer', used: true, connected: true}]);
	const revoked = await runProgram(['host', 'unshare', linkId], place);
	expect(revoked.status).toBe(0);
	await guest.waitFor('watching gone');
	await quit(guest);
	await quit(owner);
	const [file] = await sessionFiles(homeAt(home));
	const records = file ? readFileSync(file.path, 'utf8').split('\n') : [];
	const acts = records.flatMap(line => {
		const event = parseRecorded(parseJson(line))?.event;
		return event?.type === 'presence' ? [event.act] : [];
	});
	expect(acts).toEqual(expect.arrayContaining(['attach', 'share', 'revoke']));
});

test('[34] a host listens on this machine alone', async () => {
	const place: Place = {home: join(folderWith(), 'home'), folder: folderWith(), env: {}};
	const open = await runProgram(['host', '--listen', '0.0.0.0:0', '--json'], place);
	expect(open.status).toBe(2);
	expect(open.stderr).toContain('anyone on the network could read plain HTTP');
	const plain = await runProgram(
		['host', '--listen', '127.0.0.1:0', '--public-url', 'http://agents.example.com'],
		place,
	);
	expect(plain.status).toBe(2);
	expect(plain.stderr).toContain('has no TLS');
	const remote = await runProgram(['attach', '--at', 'http://agents.example.com/join/abcdefgh'], place);
	expect(remote.status).toBe(2);
	expect(remote.stderr).toContain('Refusing plain HTTP');
});

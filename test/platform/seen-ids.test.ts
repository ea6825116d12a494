import {expect, test} from 'vitest';
import {openRecents} from '../../src/config/recents.ts';
import {seenIds} from '../../src/platform/seen-ids.ts';
import {openHome} from '../../src/storage/home.ts';
import {api, inOrg} from '../commands/api.ts';
import {testContext} from '../commands/context.ts';

const scope = {org: 'acme', workspace: 'lab'};
const inScope = [
	{kind: 'org', id: 'acme'},
	{kind: 'workspace', id: 'lab'},
];

test('the ids in the path of a request are remembered for any response', () => {
	const params = {...scope, project: 'parser', itemId: 'i-1'};
	expect(seenIds('createSubmissionStage', params, {id: 'stage'})).toEqual([
		...inScope,
		{kind: 'project', id: 'parser'},
		{kind: 'item', id: 'i-1'},
	]);
	expect(seenIds('resolveTraceArtifact', {...scope, traceId: 't', oid: 'o'}, undefined)).toEqual([
		...inScope,
		{kind: 'trace', id: 't'},
	]);
});

test('the id of a response and of each row of a list is remembered', () => {
	const environment = {id: 'e-1', services: [{id: 'no'}]};
	expect(seenIds('createEnvironment', scope, environment)).toEqual([...inScope, {kind: 'environment', id: 'e-1'}]);
	const task = {kind: 'task', id: 'acme/triage@2'};
	const ofTask = {id: 'e-1', task_ref: 'acme/triage@2'};
	expect(seenIds('createEnvironment', scope, ofTask).slice(2)).toEqual([{kind: 'environment', id: 'e-1'}, task]);
	expect(seenIds('createEnvironment', scope, {task_ref: 5})).toEqual(inScope);
	const rows = [{id: 'a'}, {id: 5}, null, 'x', {id: 'b'}];
	const found = [
		{kind: 'finding', id: 'a'},
		{kind: 'finding', id: 'b'},
	];
	expect(seenIds('listFindings', scope, {total: 2, findings: rows})).toEqual([...inScope, ...found]);
	const items = [{kind: 'item', id: 'a'}];
	expect(seenIds('listRunItems', scope, [{id: 'a'}])).toEqual([...inScope, ...items]);
});

test('a full id replaces its prefix, and a revoked key is not remembered', () => {
	expect(seenIds('unarchiveSession', {...scope, sessionId: '3f2a'}, {id: '3f2a-whole'})).toEqual([
		...inScope,
		{kind: 'session', id: '3f2a-whole'},
	]);
	expect(seenIds('revokeApiKey', {keyId: 'k'}, undefined)).toEqual([]);
});

test.each([undefined, null, 'text', 7, [], {}, {findings: null}, {findings: [[]]}])(
	'a response like %j is ignored',
	answer => {
		expect(seenIds('listFindings', {}, answer)).toEqual([]);
	},
);

test('inherited property names are not parameters', () => {
	expect(seenIds('getAutoRefill', {constructor: 'x', org: 'acme'}, {})).toEqual([{kind: 'org', id: 'acme'}]);
});

test('every successful command of the platform remembers ids', async () => {
	const {env} = await api({[`GET ${inOrg}/credits/auto-refill`]: {json: {enabled: true}}});
	const {run, home} = testContext({env});
	await run('credits', 'show');
	const recents = openRecents(openHome({SERVICE_HOME: home}).recentsFile);
	const profile = new URL(env.SERVICE_SERVER).host;
	await expect.poll(() => recents.recall(profile, 'org')).toEqual(['acme']);

	const other = testContext({env, flags: {org: 'ghost'}});
	await expect(other.run('credits', 'show')).rejects.toMatchObject({code: 'not-found'});
	expect(openRecents(openHome({SERVICE_HOME: other.home}).recentsFile).recall(profile, 'org')).toEqual([]);
});

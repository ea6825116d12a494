import {expect, test} from 'vitest';
import {sightingsOf} from '../../src/platform/resume-sightings.ts';

const place = {profile: 'lab', server: 'https://lab.test', at: '2026-11-21T08:00:00.000Z'};
const params = {org: 'acme', workspace: 'main'};
const id = '1b9f3a52-1c7e-4f6e-9a55-0123456789ab';
const seen = {...place, ...params};

test('a sighting of a runtime keeps state, limits and credits, and no address', () => {
	const instance = {state: 'paused', supports_pause: false, billed_credits: 3, pause_reason: null};
	const answer = {
		id,
		key: 'dev-box',
		status: 'paused',
		created_by: id,
		instance: {...instance, sandbox_url: 'https://token@sbx.test', startup_timing: {a: 1}},
	};
	expect(sightingsOf(place, 'resumeRuntime', {...params, runtimeId: 'dev-box'}, answer)).toEqual([
		{kind: 'runtime', id, ...seen, shown: {key: 'dev-box', status: 'paused', instance}},
	]);
});

test('a sighting of a sandbox keeps neither token nor instruction [8]', () => {
	const answer = {
		id,
		state: 'ready',
		task_ref: 'acme/triage',
		expires_at: null,
		execute_token: 'tok-1',
		instruction: 'Use tok-1',
		service_urls: {web: {url: 'https://tok-1.test'}},
	};
	const [sighting] = sightingsOf(place, 'createEnvironment', params, answer);
	expect(sighting).toEqual({
		kind: 'environment',
		id,
		...seen,
		shown: {state: 'ready', task_ref: 'acme/triage', expires_at: null},
	});
	expect(JSON.stringify(sighting)).not.toContain('tok-1');
});

test('a sighting of a session keeps its title and cost, cut to a length', () => {
	const answer = {id, title: 'x'.repeat(500), archived_at: null, usage: {total_cost_usd: 1.5, total_input_tokens: 5}};
	expect(sightingsOf(place, 'unarchiveSession', {...params, sessionId: '1b9f'}, answer)).toEqual([
		{
			kind: 'session',
			id,
			...seen,
			shown: {title: 'x'.repeat(200), archived_at: null, usage: {total_cost_usd: 1.5}},
		},
	]);
});

test('an id without a response is kept alone, and other kinds are not kept', () => {
	expect(sightingsOf(place, 'getEnvironmentLogs', {...params, environmentId: id}, {logs: 'a secret line'})).toEqual([
		{kind: 'environment', id, ...seen, shown: {}},
	]);
	expect(sightingsOf(place, 'listRunItems', {...params, runId: id}, [{id}])).toEqual([]);
	expect(
		sightingsOf(place, 'resumeRuntime', {...params, runtimeId: 'dev-box'}, {id, instance: [1], key: {a: 1}}),
	).toEqual([{kind: 'runtime', id, ...seen, shown: {}}]);
});

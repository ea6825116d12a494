import {expect, test} from 'vitest';
import {findRuntime, wakePlan} from '../../../../src/command/views/runtime/runtime-plan.ts';
import type {Sighting} from '../../../../src/config/sightings.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const instance = {
	state: 'paused',
	pause_reason: 'insufficient_credits',
	supports_pause: true,
	billed_credits: 12,
	running_credits: 0,
	estimated_total_credits: 4000,
	configured_runtime_limit_seconds: 7200,
	configured_runtime_limit_source_level: 'l2_org_max',
	requested_runtime_limit_seconds: 14_400,
	requested_runtime_limit_source_level: 'l4_requested',
	actual_runtime_limit_seconds: 7200,
	expires_at: null,
};
const box: Sighting = {
	kind: 'runtime',
	id: '1b9f3a52-1c7e-4f6e-9a55-0123456789ab',
	profile: 'lab',
	server: 'https://lab.test',
	org: 'acme',
	workspace: 'main',
	at: '2026-11-21T10:00:00.000Z',
	shown: {key: 'dev-box', name: 'Development', status: 'paused', owned_by_me: true, instance},
};
const withInstance = (more: Readonly<Record<string, string | number | boolean | null>>, status = 'paused') =>
	wakePlan('dev-box', {...box, shown: {...box.shown, status, instance: {...instance, ...more}}}, now);

test('a plan shows state, reason, cost and limits with their levels', () => {
	expect(wakePlan('dev-box', box, now)).toEqual({
		title: 'Resume runtime Development (seen 2 h ago)',
		facts: [
			['state', 'paused'],
			['paused', 'the organization ran out of credits (insufficient_credits)'],
			['can be paused', 'yes'],
			['credits', '12 billed, 0 running, 4,000 estimated total'],
			['limit configured', '7,200 s (2 h 00 m), org max'],
			['limit requested', '14,400 s (4 h 00 m), requested'],
			['limit actual', '7,200 s (2 h 00 m), effective: org max'],
		],
		question: 'It uses credits while it runs. Resume it?',
	});
});

test('a plan leaves out unknown fields', () => {
	const title = 'Resume runtime dev-box (status unknown)';
	const unknown = {title, facts: [], question: 'This may use credits. Resume it?'};
	expect([wakePlan('dev-box', undefined, now), wakePlan('dev-box', {...box, shown: {}}, now)]).toEqual([
		unknown,
		unknown,
	]);
	expect(wakePlan('dev-box', {...box, shown: {status: 'idle', instance: null}}, now).facts).toEqual([
		['state', 'idle, no sandbox'],
	]);
});

test('the ability to pause is read, never inferred from a provider or a state', () => {
	const said = (supports_pause: boolean | null) =>
		new Map(withInstance({supports_pause, provider: 'e2b'}).facts).get('can be paused');
	expect([said(true), said(false), said(null)]).toEqual(['yes', 'no', 'unknown']);
});

test('only a runtime that is certainly still running is resumed without a question', () => {
	const running = {state: 'running', pause_reason: null};
	expect(withInstance({...running, expires_at: '2026-11-21T12:30:00Z'}, 'running').question).toBe(undefined);
	expect(withInstance({...running, expires_at: '2026-11-21T11:59:00Z'}, 'running').question).toBeDefined();
	expect(withInstance({...running, expires_at: null}, 'running').question).toBeDefined();
	expect(withInstance({...running, expires_at: 'soon'}, 'running').question).toBeDefined();
});

test.each([
	['timeout', 'time limit reached (timeout)'],
	['user', 'by a user (user)'],
	['member_limit_exceeded', 'you reached your monthly credit limit (member_limit_exceeded)'],
	['moon_phase', 'moon_phase'],
	['constructor', 'constructor'],
])('the pause reason %s reads “%s”', (pause_reason, told) => {
	expect(new Map(withInstance({pause_reason}).facts).get('paused')).toBe(told);
});

test('a runtime is found by key or UUID, only on its own server and in its own workspace', () => {
	const at = {profile: 'lab', server: 'https://lab.test', org: 'acme', workspace: 'main'};
	expect(findRuntime([box], 'dev-box', at)).toBe(box);
	expect(findRuntime([box], box.id.toUpperCase(), at)).toBe(box);
	for (const other of [{server: 'https://evil.test'}, {profile: 'home'}, {org: 'rival'}, {workspace: 'lab'}]) {
		expect(findRuntime([box], 'dev-box', {...at, ...other})).toBe(undefined);
	}
});

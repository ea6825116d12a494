import {describe, expect, test} from 'vitest';
import {violations} from '../../src/contract/check.ts';
import {endpoints} from '../../src/contract/endpoints.ts';
import {pathParameters} from '../../src/contract/parameters.ts';
import {inferenceInfoSchema} from '../../src/contract/resources/preferences.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const {createSubmissionStage, verifyMfaEnrollment, listRunItems, listFindings, createEnvironment} = endpoints;

const provenance = {
	capability_name: 'review',
	capability_version: '1.0.0',
	platform_session_id: id,
	root_run_id: 'run-1',
};

const said = (schema: Parameters<typeof violations>[0], value: unknown) =>
	violations(schema, value).map(({path, rule}) => `${path.join('.')} ${rule}`);

describe.each([
	['capability_name', 255],
	['capability_version', 100],
	['current_task_id', 128],
	['root_run_id', 128],
	['span_id', 16],
	['trace_id', 32],
] as const)('provenance.%s', (field, most) => {
	const check = (length: number) =>
		said(createSubmissionStage.body, {action_id: id, provenance: {...provenance, [field]: 'x'.repeat(length)}});

	test(`has 1 to ${most} characters`, () => {
		expect(check(0)).toEqual([`provenance.${field} must have at least 1 character`]);
		expect(check(1)).toEqual([]);
		expect(check(most)).toEqual([]);
		expect(check(most + 1)).toEqual([`provenance.${field} must have at most ${most} characters`]);
	});
});

test('an MFA code has 1 to 64 characters', () => {
	const check = (length: number) => said(verifyMfaEnrollment.body, {code: '1'.repeat(length)});
	expect([check(0), check(1), check(64), check(65)]).toEqual([
		['code must have at least 1 character'],
		[],
		[],
		['code must have at most 64 characters'],
	]);
});

test("a run's items are limited to 1 to 1000, a whole number, and need a project", () => {
	const check = (limit: unknown) => said(listRunItems.query, {project_id: id, limit});
	expect([check(0), check(1), check(1000), check(1001)]).toEqual([
		['limit must be at least 1'],
		[],
		[],
		['limit must be at most 1000'],
	]);
	expect([check(1.5), check('5'), check(Number.NaN)]).toEqual([
		['limit must be a whole number'],
		['limit must be a number'],
		['limit must be a number'],
	]);
	expect(said(listRunItems.query, {})).toEqual(['project_id is required']);
});

test('the order of a model starts at 1', () => {
	const model = {id: 'a/b', name: 'b', provider: 'a', has_required_keys: true, required_api_keys: []};
	expect([0, 1, null].map(order => said(inferenceInfoSchema, {...model, order}))).toEqual([
		['order must be at least 1'],
		[],
		[],
	]);
});

test('every violation is reported with its path', () => {
	const wrong = {action_id: 'x', provenance: {...provenance, runtime_id: 5, platform_session_id: null}, extra: 1};
	expect(said(createSubmissionStage.body, wrong)).toEqual([
		'action_id must be a UUID',
		'provenance.platform_session_id must be text',
		'provenance.runtime_id must be text',
		'extra is not known here',
	]);
	expect(said(createSubmissionStage.body, undefined)).toEqual([' is required']);
	expect(said(createEnvironment.body, {task_ref: 't', secret_ids: ['a', 1], model_overrides: []})).toEqual([
		'model_overrides must be an object',
		'secret_ids.1 must be text',
	]);
	expect(said(listFindings.query, {sort_by: 'age', sort_dir: 'up', severity: 'high'})).toEqual([
		'sort_by must be one of score, created_at, updated_at, severity, attack_name, category, date',
		'sort_dir must be one of asc, desc',
	]);
});

test.each(['', 'x', id.slice(1), `${id}0`, id.replaceAll('-', ''), `{${id}}`, ` ${id}`, id.replace('a', 'g')])(
	'“%s” is no UUID',
	value => {
		expect(said(pathParameters.itemId, value)).toEqual([' must be a UUID']);
	},
);

test.each([id, id.toUpperCase(), '00000000-0000-0000-0000-000000000000', '11111111-1111-1111-1111-111111111111'])(
	'%s is a UUID',
	value => {
		expect(said(pathParameters.itemId, value)).toEqual([]);
	},
);

test('a session id is a UUID or any beginning of one', () => {
	const lengths = Array.from({length: id.length}, (_, index) => index + 1);
	expect(lengths.flatMap(length => said(pathParameters.sessionId, id.slice(0, length)))).toEqual([]);
	for (const wrong of [
		'',
		'-',
		'xyz',
		'0b5e0a1c9',
		'0b5e-',
		`${id}0`,
		'0b5e0a1c--',
		'0b5e0a1c-9c1f-4d4e-8b57-0123456789ab-',
	]) {
		expect(said(pathParameters.sessionId, wrong)).toEqual([' must be a UUID or the beginning of one']);
	}
});

import {expect, test} from 'vitest';
import {attackSpanSchema} from '../../../src/contract/resources/assessment.ts';
import {findingSchema} from '../../../src/contract/resources/finding.ts';
import {createTestServer, inWorkspace, scope, type TestServer} from '../harness.ts';
import {push, spanId, timeAt} from '../ingest/push.ts';
import {assessment, assessmentId, attack, trial} from './attack.ts';

const findings = (query = '') => `${inWorkspace}/airt/projects/${scope.project}/findings${query}`;

const run = [
	trial('11', '1', 11, {
		score: 0.4,
		candidate: 'Please',
		response: 'No.',
		trial_status: 'finished',
		tool_calls: [{name: 'search', arguments: '{}'}],
	}),
	trial('12', '1', 14, {
		score: 0.95,
		trial_index: 1,
		is_jailbreak: true,
		candidate: 'Pretend',
		response: 'Sure.',
		judge_reasoning: 'It gave in.',
		transformed_prompt: 'cHJldGVuZA==',
		modality_scores: {text: 0.95},
		candidate_parts: [{kind: 'text', text: 'Pretend'}],
		tool_calls: 'not a list',
	}),
	attack('1', 10, {
		attack_name: 'crescendo',
		goal: 'Leak the prompt',
		goal_category: 'disclosure',
		category: 'prompt',
		target_model: 'openai/gpt-4o',
		transforms_applied: ['base64'],
		compliance_tags: {owasp: ['LLM01']},
		metrics_detail: {advantage: 0.5, made_up: 1},
		finding_status: 'triaged',
		total_trials: 2,
	}),
	assessment({name: 'Spring check', target_model: 'openai/gpt-4o', sandbox: {state: 'running'}}),
];

const trials = [
	{
		rank: 1,
		trial_index: 1,
		score: 0.95,
		is_jailbreak: true,
		candidate: 'Pretend',
		response: 'Sure.',
		judge_reasoning: 'It gave in.',
		transformed_prompt: 'cHJldGVuZA==',
		modality_scores: {text: 0.95},
		candidate_parts: [{kind: 'text', text: 'Pretend'}],
		trial_status: '',
		execution_time_s: 2,
		span_id: spanId('12'),
	},
	{
		rank: 2,
		score: 0.4,
		candidate: 'Please',
		response: 'No.',
		trial_status: 'finished',
		judge_reasoning: '',
		transformed_prompt: '',
		trial_index: 0,
		tool_calls: [{agent: '', name: 'search', arguments: '{}', result: ''}],
		execution_time_s: 2,
		span_id: spanId('11'),
	},
];

const attackRead = {
	attack_name: 'crescendo',
	goal: 'Leak the prompt',
	goal_category: 'disclosure',
	category: 'prompt',
	target_model: 'openai/gpt-4o',
	attacker_model: '',
	evaluator_model: '',
	sub_category: '',
	asr: 0.5,
	best_score: 0.95,
	best_candidate: 'Pretend',
	best_response: 'Sure.',
	best_candidate_parts: [{kind: 'text', text: 'Pretend'}],
	best_response_parts: null,
	best_modality_scores: {text: 0.95},
	execution_time_s: 8,
	finished_trials: 2,
	total_trials: 2,
	is_jailbreak: true,
	span_id: spanId('1'),
	trace_id: '1'.padStart(32, '0'),
	transforms: ['base64'],
};

const {asr: _, transforms, attacker_model: _a, evaluator_model: _e, sub_category: _s, ...common} = attackRead;

const finding = {
	...common,
	id: expect.stringMatching(/^[\da-f]{8}-/),
	assessment_id: assessmentId,
	assessment_name: 'Spring check',
	best_judge_reasoning: 'It gave in.',
	best_transformed_prompt: 'cHJldGVuZA==',
	severity: 'critical',
	status: 'completed',
	completed_at: timeAt(18),
	created_at: timeAt(10),
	updated_at: timeAt(18),
	compliance_tags: {owasp: ['LLM01']},
	transforms_applied: transforms,
	metrics_detail: {advantage: 0.5},
	finding_status: 'triaged',
	finding_type: 'jailbreak',
	review_events: [],
	top_trials: trials,
};

test('an attack is a finding with its trials, in whatever order and requests the spans arrive', async () => {
	const once = await createTestServer();
	await push(once, run);
	const {json} = await once.send(findings());
	expect(json).toEqual({
		findings: [finding],
		total: 1,
		page: 1,
		page_size: 50,
		next_cursor: null,
		previous_cursor: null,
	});
	expect(findingSchema.parse(json.findings[0])).toEqual(json.findings[0]);
	const filtered = await once.send(`${findings()}?assessment_id=${assessmentId.toUpperCase()}`);
	expect(filtered.json.total).toBe(1);

	const apart = await createTestServer();
	for (const span of [...run].reverse()) {
		await push(apart, [span]);
		await push(apart, [span]);
	}

	const {id} = (await apart.send(findings())).json.findings[0];
	expect((await apart.send(`${inWorkspace}/airt/findings/${id}`)).json).toEqual(finding);
	const {json: attacks} = await apart.send(`${inWorkspace}/airt/assessments/${assessmentId}/traces/attacks`);
	expect(attacks).toEqual([attackRead]);
	expect(attackSpanSchema.parse(attacks[0])).toEqual(attacks[0]);
});

test('names are in the order of their code points, whatever the locale of the database is', async () => {
	const server = await createTestServer();
	const given = ['beta', 'Alpha', 'äther', 'alpha', 'Beta', 'a-z', 'a_z', 'az'];
	await push(server, [
		...given.map((attack_name, index) => attack(String(index + 1), index, {attack_name})),
		assessment(),
	]);
	const {json} = await server.send(findings('?sort_by=attack_name&sort_dir=asc'));
	expect(json.findings.map(({attack_name}: {attack_name: string}) => attack_name)).toEqual(given.toSorted());
});

test('lists sort by every key, severities by meaning, and pages contain each finding once', async () => {
	const server = await createTestServer();
	const given = ['low', 'critical', 'info', 'high', 'medium', 'odd'].map((severity, index) =>
		attack(String(index + 1), index * 10, {
			severity,
			attack_name: `attack ${6 - index}`,
			...(index < 3 && {best_score: index / 10 + 0.05, category: `c${index}`}),
		}),
	);
	await push(server, [...given, assessment()]);
	const order = async (query: string) => {
		const {json} = await server.send(findings(query));
		return json.findings.map((each: {severity: string}) => each.severity).join(' ');
	};
	expect(await order('')).toBe('odd medium high info critical low');
	expect(await order('?sort_by=date&sort_dir=asc')).toBe('low critical info high medium odd');
	expect(await order('?sort_by=severity')).toBe('critical high medium low info odd');
	expect(await order('?sort_by=severity&sort_dir=asc')).toBe('odd info low medium high critical');
	expect(await order('?sort_by=score')).toBe('info critical low odd medium high');
	expect(await order('?sort_by=score&sort_dir=asc')).toBe('low critical info odd medium high');
	expect(await order('?sort_by=attack_name&sort_dir=asc')).toBe('odd medium high info critical low');
	expect(await order('?sort_by=category')).toBe('info critical low odd medium high');
	expect(await order('?sort_by=updated_at&page=2&page_size=4')).toBe('critical low');
	expect(await order('?page=3&page_size=4')).toBe('');
	expect(await order('?severity=high')).toBe('high');
	expect((await server.send(findings('?severity=high'))).json).toMatchObject({
		total: 1,
		page: 1,
		page_size: 50,
		next_cursor: null,
		previous_cursor: null,
	});
});

test('a failed attack is a failed finding, and one without success has severity info', async () => {
	const server = await createTestServer();
	await push(server, [assessment(), {...attack('1', 1), failed: true}, attack('2', 2)]);
	const {json} = await server.send(findings());
	expect(json.findings).toEqual([
		expect.objectContaining({status: 'completed', severity: 'info', is_jailbreak: false, best_score: null}),
		expect.objectContaining({status: 'failed', attack_name: 'attack', goal: '', goal_category: null, top_trials: []}),
	]);
});

test.each(['?page=0', '?page_size=0', '?page_size=201', '?page=-1', '?page=1.5', '?sort_by=goal', '?sort_dir=up'])(
	'a list with %s is rejected with 422',
	async query => {
		const server = await createTestServer();
		const {status, json} = await server.send(findings(query));
		expect([status, json.type, json.errors.length]).toEqual([422, 'validation_error', 1]);
	},
);

test('a finding of another organization is 404, like an unknown one [26]', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	await push(server, run);
	const {id} = (await server.send(findings())).json.findings[0];
	const ask = async (path: string, key = rival.key) => (await server.send(path, {key})).status;
	expect(await ask(`${inWorkspace}/airt/findings/${id}`)).toBe(404);
	expect(await ask(`/api/v1/org/rival/ws/main/airt/findings/${id}`)).toBe(404);
	expect(await ask(`/api/v1/org/rival/ws/main/airt/assessments/${assessmentId}/traces/attacks`)).toBe(404);
	expect(await ask(`${inWorkspace}/airt/findings/${assessmentId}`, server.owner.key)).toBe(404);
	expect(await idsOf(server)).toEqual([id]);
});

/** Returns the ids of all findings, as listed. */
async function idsOf(server: TestServer): Promise<readonly string[]> {
	const {json} = await server.send(findings());
	return json.findings.map((each: {id: string}) => each.id);
}

test('names of any length are stored, sorted and found by, whatever an index holds of them', async () => {
	const server = await createTestServer();
	// Four bytes each, and no two alike, so that no database makes them shorter.
	const long = (start: number) => Array.from({length: 1500}, (_, at) => String.fromCodePoint(start + at)).join('');
	const names = {attack_name: long(0x20000), category: long(0x21000), severity: long(0x22000)};
	const [first, second] = [attack('1', 10, names), attack('2', 20, {...names, attack_name: `a${names.attack_name}`})];
	expect(await push(server, [first, second, assessment()])).toEqual({});
	for (const [name, value] of Object.entries(names)) {
		const {json: listed} = await server.send(findings(`?${name}=${encodeURIComponent(value)}&sort_by=attack_name`));
		expect(listed.findings.map((finding: Record<string, string>) => finding[name])).toEqual(
			name === 'attack_name' ? [value] : [value, value],
		);
	}
});

import {expect, test} from 'vitest';
import {findingView} from '../../../../src/command/views/finding/finding-view.ts';
import {readLeniently} from '../../../../src/contract/lenient.ts';
import {findingSchema} from '../../../../src/contract/resources/finding.ts';
import type {Json} from '../../../../src/core/json.ts';
import {dataOf, drawn} from '../../../commands/context.ts';

const resultOf = (finding: object, full = false) =>
	findingView(readLeniently(findingSchema, finding as Json) ?? {}, {full});
const view = (finding: object, width = 80, full = false) => drawn(resultOf(finding, full), width).split('\n');

test('[16] media are named and marked as not fetched', () => {
	const best_candidate_parts = [
		{kind: 'text', text: 'Look at this:'},
		{
			kind: 'image',
			variant: 'perturbed',
			transform: 'blur',
			source: {artifact_oid: 'a1', media_type: 'image/png', byte_size: 2100},
		},
		{kind: 'image', source: {ref: 'url', url: 'http://127.0.0.1:9/x.png'}, caption: 'seen'},
		{kind: 'audio', source: {ref: 'file_id', file_id: 'file-7', filename: 'a.wav'}},
		{kind: 'smell', source: {ref: 'aether'}},
		{},
	];
	expect(view({best_candidate_parts, trace_id: 't1'})).toEqual([
		'Finding',
		'trace  t1',
		'',
		'Best attempt',
		'candidate  [text] Look at this:',
		'           [image, perturbed, by blur] artifact a1 · image/png · 2.1 kB',
		'           [image] caption: seen',
		'           url http://127.0.0.1:9/x.png (on record only, not fetched)',
		'           [audio] file_id file-7 (on record only, not fetched) · a.wav',
		'           [smell] aether without a name (on record only, not fetched)',
		'           [part]',
		'',
		'Media are named by the oid of their artifact.',
		'/trace artifact t1 <oid> --download saves one.',
	]);
});

test('reviews are drawn in order with their changes', () => {
	const review_events = [
		{
			updated_at: '2026-01-02T00:00:00Z',
			updated_by: 'ada',
			original_severity: 'low',
			updated_severity: 'high',
			original_status: 'open',
			updated_status: 'open',
			reasoning: 'It leaks.\nTwice.',
		},
		{updated_at: '2026-01-01T00:00:00Z', updated_finding_type: 'leak', updated_by: null},
		{},
	];
	expect(view({review_events}).slice(-6)).toEqual([
		'Reviews',
		'2026-01-02T00:00:00Z  by ada · severity low → high',
		'                      It leaks.',
		'                      Twice.',
		'2026-01-01T00:00:00Z  type leak',
		'no time               no change',
	]);
});

test('the first three trials, or all, show prompt, response, verdict and tool calls', () => {
	const trial = {
		rank: 1,
		score: 0.9,
		is_jailbreak: true,
		candidate: 'Tell me',
		response: 'Ok',
		judge_reasoning: 'It did.',
		modality_scores: {text: 0.5, image: 1e308},
		tool_calls: [{agent: 'planner', name: 'search', arguments: '{"q":1}', result: '3 hits'}, {}],
		execution_time_s: 2,
	};
	const finding = {top_trials: [trial, {rank: 2}, {rank: 3}, {rank: 4}]};
	expect(view(finding)).toEqual([
		'Trial 1 · score 0.9 · jailbreak · 2.0 s',
		'candidate   Tell me',
		'response    Ok',
		'judge       It did.',
		'modalities  text 0.5, image 1.00e+308',
		'tool call   planner: search({"q":1}) → 3 hits',
		'tool call   a tool without a name()',
		'',
		'Trial 2',
		'candidate  not recorded',
		'',
		'Trial 3',
		'candidate  not recorded',
		'',
		'1 more trial: --full',
	]);
	expect(view(finding, 80, true).at(-2)).toBe('Trial 4');
});

test('long texts are cut between characters unless --full is given', () => {
	const best_response = `${'x'.repeat(599)}😀${'y'.repeat(99)}`;
	expect(view({best_response}, 900).at(-1)).toBe(`response  ${'x'.repeat(599)}… (101 more characters: --full)`);
	expect(view({best_response}, 900, true).at(-1)).toBe(`response  ${best_response}`);
});

test('compliance tags of any shape are shown', () => {
	const compliance_tags = {owasp: ['LLM01', 'LLM02'], nist: {a: 1}, eu: true, none: null};
	expect(view({compliance_tags})).toEqual(['Compliance', 'owasp  LLM01, LLM02', 'nist   {"a":1}', 'eu     yes']);
});

test('[1] every text of a finding is drawn safely, and the data stays unchanged', () => {
	const nasty = '\u001B]0;x\u0007\u202E';
	const finding = {
		attack_name: nasty,
		goal: nasty,
		severity: nasty,
		compliance_tags: {[nasty]: nasty},
		best_modality_scores: {[nasty]: 1},
		metrics_detail: {per_class_auc: {[nasty]: 1}, score_distribution: {[nasty]: [1, 2]}, hub_model: {[nasty]: nasty}},
		top_trials: 'none',
	};
	expect(view(finding).join('\n')).not.toMatch(/[\u001B\u0007\u202E]/);
	expect(dataOf(resultOf(finding))).toEqual(finding);
});

test('a finding without fields is still drawn', () => {
	expect(view({})).toEqual(['']);
});

import {expect, test} from 'vitest';
import {effortOf} from '../../src/store/connection-slice.ts';
import {dataOf, drawn, testContext} from './context.ts';

test('the effort is kept for each model, in the app and for later sessions', async () => {
	const here = testContext();
	const {getState} = here.store;
	getState().setModel('openai/o3');
	expect(drawn(await here.runInApp('effort', 'high'), 80)).toContain('openai/o3 now thinks with high effort.');
	getState().setModel('anthropic/claude-sonnet-5');
	expect(effortOf(getState(), getState().model)).toBe(undefined);
	expect(dataOf(await here.runInApp('effort', 'max'))).toEqual({model: 'anthropic/claude-sonnet-5', effort: 'max'});
	expect(here.context.program.local.config.read().settings.efforts).toEqual({
		'openai/o3': 'high',
		'anthropic/claude-sonnet-5': 'max',
	});
	await here.runInApp('effort', 'default');
	expect(here.context.program.local.config.read().settings.efforts).toEqual({'openai/o3': 'high'});
	expect([effortOf(getState(), 'openai/o3'), effortOf(getState(), getState().model)]).toEqual(['high', undefined]);
});

test('without a level the user selects one, and the command line counts until then', async () => {
	const here = testContext({answers: ['low', undefined]});
	const {getState} = here.store;
	getState().setModel('openai/o3');
	getState().setEfforts({'openai/o3': 'medium'}, 'max');
	expect(effortOf(getState(), 'openai/o3')).toBe('max');
	await here.runInApp('effort');
	expect(here.asked).toMatchObject([{title: 'How much openai/o3 thinks', current: 'max'}]);
	expect(effortOf(getState(), 'openai/o3')).toBe('low');
	expect(drawn(await here.runInApp('effort'), 80)).toContain('Nothing changed.');
	expect(effortOf(getState(), 'openai/o3')).toBe('low');
});

test('a model that has no effort, and one that nobody selected, are errors', async () => {
	const here = testContext();
	await expect(here.runInApp('effort', 'high')).rejects.toMatchObject({code: 'usage', message: 'No model selected.'});
	here.store.getState().setModel('openai/gpt-4o');
	await expect(here.runInApp('effort', 'high')).rejects.toMatchObject({
		code: 'usage',
		message: 'openai/gpt-4o has no reasoning effort.',
	});
	here.store.getState().setModel('openai/o3');
	await expect(here.runInApp('effort', 'extreme')).rejects.toMatchObject({code: 'usage'});
});

import {expect, test} from 'vitest';
import {openLog, shop, triage} from '../ui/log-parts.ts';
import {dataOf, drawn, testContext} from './context.ts';

function withLogs() {
	const here = testContext();
	here.store.getState().addLog(openLog({lines: 1234, openedAt: Date.now()}));
	here.store.getState().addLog(openLog({environment: triage, title: 'triage', unread: 12, openedAt: Date.now()}));
	return here;
}

test('open logs are listed with their state', async () => {
	const result = await withLogs().runInApp('logs');
	expect(drawn(result, 120).split('\n')).toEqual([
		'log       environment  state           lines  unread  opened',
		`web-shop  ${shop.slice(0, 8)}     live, complete  1,234       0  now`,
		`triage    ${triage.slice(0, 8)}     live, complete      0      12  now`,
	]);
	expect(dataOf(result)).toMatchObject([
		{title: 'web-shop', state: 'live', lines: 1234},
		{title: 'triage', unread: 12},
	]);
});

test.each([['triage'], [triage], ['0b5e']])('a log is shown by %j', async name => {
	const {runInApp} = withLogs();
	expect(await runInApp('logs', 'show', name)).toEqual({
		kind: 'panel',
		panel: {show: 'log-panel', isShown: true, focus: triage},
	});
	expect(await runInApp('logs', 'hide')).toMatchObject({panel: {show: 'log-panel', isShown: false, focus: triage}});
});

test('an unknown or ambiguous log is refused with the open ones', async () => {
	const {runInApp, run, store} = withLogs();
	await expect(runInApp('logs', 'close', 'nothing')).rejects.toMatchObject({
		code: 'not-found',
		message: 'No open log is called “nothing”.',
		hint: 'Choose one of web-shop, triage.',
	});
	store.getState().focusLog('*');
	await expect(runInApp('logs', 'close')).rejects.toMatchObject({code: 'usage', message: 'Which log?'});
	await expect(runInApp('logs', 'close', 'triage', '--all')).rejects.toMatchObject({code: 'usage'});
	await expect(run('logs')).rejects.toMatchObject({code: 'usage'});
	await expect(testContext().runInApp('logs', 'show')).rejects.toMatchObject({message: 'No open logs.'});
});

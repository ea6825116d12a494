import {expect, test} from 'vitest';
import {isAtLeast, levelOf} from '../../src/logs/levels.ts';
import {expectLinear} from '../growth.ts';

test.each([
	['{"level":"info","msg":"up"}', 'info'],
	['{"time":1,"severity":"CRITICAL"}', 'fatal'],
	['levelname=WARNING name=app msg=slow', 'warn'],
	['msg=slow log.level=error', 'error'],
	['log-level=error', undefined],
	['{"msg":"\\"level\\":\\"error\\"","lvl":"dbg"}', 'debug'],
	['{"inner":{"level":"error"}}', undefined],
	['{"level":30,"time":1,"pid":7,"msg":"pino"}', 'info'],
	['{"level":60}', 'fatal'],
	['{"level":3,"short_message":"graylog"}', undefined],
	['{"level":"toString"}', undefined],
	['{"level":"info"', undefined],
	['time=2026-01-01T00:00:00Z level=warning msg="slow"', 'warn'],
	['ts=1 level="error" msg=x', 'error'],
	['sublevel=error', undefined],
	['E0102 15:04:05.678901    1234 server.go:42] broken', 'error'],
	['I0102 15:04:05.678901       1 main.cc:7] up', 'info'],
	['I am not klog', undefined],
	['WARNING:root:watch out', 'warn'],
	['INFO:     127.0.0.1:5000 - "GET / HTTP/1.1" 200 OK', 'info'],
	['2026-01-01 12:00:00,123 - app.db - ERROR - lost', 'error'],
	['2026-01-01 12:00:00.123 DEBUG [main] x', 'debug'],
	['12:00:00 INFO text', 'info'],
	['2026-01-01T12:00:00Z FATAL: the database system is shutting down', 'fatal'],
	['12:00:00 it said error', undefined],
	['[INFO] up', 'info'],
	['2026-01-01 12:00:00 [ warn ] x', 'warn'],
	['[nginx] [crit] 12#12: x', 'fatal'],
	['\u001B[32mINFO\u001B[0m: started', 'info'],
	['\u001B[1m[\u001B[31merror\u001B[0m\u001B[1m]\u001B[0m x', 'error'],
	['error handling was added', undefined],
	['', undefined],
	['constructor: x', undefined],
	[`${' '.repeat(600)}[error]`, undefined],
] as const)('%j is of level %s', (line, level) => {
	expect(levelOf(line)).toBe(level);
});

test('a line without a level is shown at every level', () => {
	expect([undefined, 'debug', 'warn', 'fatal'].map(level => isAtLeast(level as 'warn' | undefined, 'warn'))).toEqual([
		true,
		false,
		true,
		true,
	]);
});

test.each([
	['a long line', '', 'xxxxxxxx'],
	['brackets without an end', '', '[ '],
	['a time and dashes', '12:00:00 ', '-:|.['],
	['JSON without an end', '{"a":', '['],
	['escape sequences', '', '\u001B['],
])('finding the level of %s is linear in its length', (_, start, piece) => {
	expectLinear(size => levelOf(start + piece.repeat(size)), 5000);
});

import {noun} from '../../src/command/command.ts';
import credits from './serve-credits.ts';
import init from './serve-init.ts';
import key from './serve-key.ts';
import limits from './serve-limits.ts';
import member from './serve-member.ts';
import password from './serve-password.ts';
import start from './serve-start.ts';

export default noun({
	name: 'serve',
	summary: 'Run a server of the platform on this machine',
	verbs: [start, init, member, key, password, credits, limits],
	fallback: 'start',
});

import {noun} from '../../src/command/command.ts';
import day from './usage-day.ts';
import month from './usage-month.ts';
import requests from './usage-requests.ts';
import show from './usage-show.ts';
import why from './usage-why.ts';

export default noun({
	name: 'usage',
	aliases: ['cost'],
	summary: 'Tokens and costs of the session, a day or a month',
	verbs: [show, why, requests, day, month],
	fallback: 'show',
});

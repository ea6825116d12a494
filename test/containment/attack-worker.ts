// Runs attacks as the user who starts it: `attack-worker.mjs <side> <supervisor>`, with the attacks as JSON on standard input.
import process from 'node:process';
import {text} from 'node:stream/consumers';
import {runAttacks, type Side} from './attack-sides.ts';

const [, , side, supervisor = ''] = process.argv;
const outcome = await runAttacks(side as Side, JSON.parse(await text(process.stdin)), new URL(supervisor));
process.stdout.write(JSON.stringify(outcome));

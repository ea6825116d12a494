import {noun} from '../../src/command/command.ts';
import stats from './eval-stats.ts';

export default noun({name: 'eval', summary: 'Evaluations', verbs: [stats]});

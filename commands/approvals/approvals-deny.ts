import {ruleCommand} from '../../src/command/approvals/rule-command.ts';

export default ruleCommand('deny');

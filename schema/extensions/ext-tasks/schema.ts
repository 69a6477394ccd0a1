// The extension io.modelcontextprotocol/tasks, transcribed: a request may be answered with a task, whose outcome is asked
// for later. Three things are written in another way than in the official file. It combines `Result` with the union of the
// states of a task; here each combination is an interface of its own. Its params do not mention `_meta`; here it is an
// optional member, as the core protocol lets no request go without it. Who sends what is said at the end.

import type {
  Error as JSONRPCErrorObject,
  InputRequests,
  InputResponses,
  JSONRPCNotification,
  JSONRPCRequest,
  NotificationParams,
  RequestParams,
  Result,
} from "../../2026-07-28/schema.js";

/* Tasks */

/**
 * How far a task has got.
 *
 * `working` goes on by itself, `input_required` needs answers of the client first. The other three
 * are final: `completed` has a result, which may be a tool's error; `failed` has a JSON-RPC error;
 * `cancelled` has neither.
 *
 * @category `tasks`
 */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/**
 * A request that the server works on after having answered it.
 *
 * @category `tasks`
 */
export interface Task {
  /** Id of the task, picked by the server. */
  taskId: string;
  /** How far the task has got. */
  status: TaskStatus;
  /** Text for people or the model on the status, such as what is done now or why it failed. */
  statusMessage?: string;
  /** When the task was created, as ISO 8601. */
  createdAt: string;
  /** When anything of the task changed last, as ISO 8601. */
  lastUpdatedAt: string;
  /**
   * Milliseconds from its creation for which the task is kept; null means without end. It may
   * change while the task lives.
   *
   * @format int
   * @nullable
   */
  ttlMs: number | null;
  /**
   * Milliseconds to wait between one `tasks/get` and the next. It may change while the task lives.
   *
   * @format int
   */
  pollIntervalMs?: number;
}

/* A task in each of its states */

/**
 * A task that goes on by itself.
 *
 * @category `tasks`
 */
export interface WorkingTask extends Task {
  status: "working";
}

/**
 * A task that waits for answers of the client.
 *
 * @category `tasks`
 */
export interface InputRequiredTask extends Task {
  status: "input_required";
  /** All that is asked and not answered yet. No key is used twice in the life of a task. */
  inputRequests: InputRequests;
}

/**
 * A task that has ended with a result.
 *
 * @category `tasks`
 */
export interface CompletedTask extends Task {
  status: "completed";
  /** What the request would have been answered with, such as a `CallToolResult`. */
  result: { [key: string]: unknown };
}

/**
 * A task that has ended with a JSON-RPC error.
 *
 * @category `tasks`
 */
export interface FailedTask extends Task {
  status: "failed";
  /** What the request would have been answered with. */
  error: JSONRPCErrorObject;
}

/**
 * A task that was stopped.
 *
 * @category `tasks`
 */
export interface CancelledTask extends Task {
  status: "cancelled";
}

/**
 * A task with what belongs to its state.
 *
 * @category `tasks`
 */
export type DetailedTask = WorkingTask | InputRequiredTask | CompletedTask | FailedTask | CancelledTask;

/* Creating tasks */

/**
 * Answer to a request that became a task.
 *
 * @category `tasks`
 */
export interface CreateTaskResult extends Result, Task {
  /** Tells it from the result of the method. */
  resultType: "task";
}

/* Operations */

/**
 * Which task is asked for.
 *
 * @category `tasks/get`
 */
export interface GetTaskRequestParams extends Partial<RequestParams> {
  /** Id of the task to report on. */
  taskId: string;
}

/**
 * Asks for a task.
 *
 * @category `tasks/get`
 */
export interface GetTaskRequest extends JSONRPCRequest {
  method: "tasks/get";
  params: GetTaskRequestParams;
}

/**
 * A working task, in answer to `tasks/get`.
 *
 * @category `tasks/get`
 */
export interface GetWorkingTaskResult extends Result, WorkingTask {
  /** An answer like that of any method. */
  resultType: "complete";
}

/**
 * A task that waits for answers, in answer to `tasks/get`.
 *
 * @category `tasks/get`
 */
export interface GetInputRequiredTaskResult extends Result, InputRequiredTask {
  /** An answer like that of any method. */
  resultType: "complete";
}

/**
 * A task with its result, in answer to `tasks/get`.
 *
 * @category `tasks/get`
 */
export interface GetCompletedTaskResult extends Result, CompletedTask {
  /** An answer like that of any method. */
  resultType: "complete";
}

/**
 * A task with its error, in answer to `tasks/get`.
 *
 * @category `tasks/get`
 */
export interface GetFailedTaskResult extends Result, FailedTask {
  /** An answer like that of any method. */
  resultType: "complete";
}

/**
 * A task that was stopped, in answer to `tasks/get`.
 *
 * @category `tasks/get`
 */
export interface GetCancelledTaskResult extends Result, CancelledTask {
  /** An answer like that of any method. */
  resultType: "complete";
}

/**
 * State of a task, in answer to `tasks/get`.
 *
 * @category `tasks/get`
 */
export type GetTaskResult =
  | GetWorkingTaskResult
  | GetInputRequiredTaskResult
  | GetCompletedTaskResult
  | GetFailedTaskResult
  | GetCancelledTaskResult;

/**
 * Answers to a task.
 *
 * @category `tasks/update`
 */
export interface UpdateTaskRequestParams extends Partial<RequestParams> {
  /** Id of the task that asked. */
  taskId: string;
  /** Answers by the keys of the questions; some of them will do. */
  inputResponses: InputResponses;
}

/**
 * Brings answers to what a task asks for.
 *
 * @category `tasks/update`
 */
export interface UpdateTaskRequest extends JSONRPCRequest {
  method: "tasks/update";
  params: UpdateTaskRequestParams;
}

/**
 * Says that answers have come in; what becomes of them shows later.
 *
 * @category `tasks/update`
 */
export interface UpdateTaskResult extends Result {
  /** An answer like that of any method. */
  resultType: "complete";
}

/**
 * Which task is to stop.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskRequestParams extends Partial<RequestParams> {
  /** Id of the task to stop. */
  taskId: string;
}

/**
 * Asks for a task to be stopped.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskRequest extends JSONRPCRequest {
  method: "tasks/cancel";
  params: CancelTaskRequestParams;
}

/**
 * Says that the wish has been heard; whether the task stops shows later.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskResult extends Result {
  /** An answer like that of any method. */
  resultType: "complete";
}

/* Notifications */

/**
 * What is told of a working task.
 *
 * @category `notifications/tasks`
 */
export interface WorkingTaskNotificationParams extends NotificationParams, WorkingTask {
  [key: string]: unknown;
}

/**
 * What is told of a task that waits for answers.
 *
 * @category `notifications/tasks`
 */
export interface InputRequiredTaskNotificationParams extends NotificationParams, InputRequiredTask {
  [key: string]: unknown;
}

/**
 * What is told of a task with its result.
 *
 * @category `notifications/tasks`
 */
export interface CompletedTaskNotificationParams extends NotificationParams, CompletedTask {
  [key: string]: unknown;
}

/**
 * What is told of a task with its error.
 *
 * @category `notifications/tasks`
 */
export interface FailedTaskNotificationParams extends NotificationParams, FailedTask {
  [key: string]: unknown;
}

/**
 * What is told of a task that was stopped.
 *
 * @category `notifications/tasks`
 */
export interface CancelledTaskNotificationParams extends NotificationParams, CancelledTask {
  [key: string]: unknown;
}

/**
 * The state of a task, as `tasks/get` would give it at that moment.
 *
 * @category `notifications/tasks`
 */
export type TaskStatusNotificationParams =
  | WorkingTaskNotificationParams
  | InputRequiredTaskNotificationParams
  | CompletedTaskNotificationParams
  | FailedTaskNotificationParams
  | CancelledTaskNotificationParams;

/**
 * Tells those who subscribed to a task of its new state.
 *
 * @category `notifications/tasks`
 */
export interface TaskStatusNotification extends JSONRPCNotification {
  method: "notifications/tasks";
  params: TaskStatusNotificationParams;
}

/* Subscriptions */

/**
 * What the filter of `subscriptions/listen` has in addition.
 *
 * @category `subscriptions`
 */
export interface TaskSubscriptionNotifications {
  /** Ids of the tasks to be told of. */
  taskIds?: string[];
}

/**
 * What the acknowledgement of a subscription has in addition.
 *
 * @category `subscriptions`
 */
export interface TaskSubscriptionAcknowledgedNotifications {
  /** Ids of the tasks that the server will tell of. */
  taskIds?: string[];
}

/* Capability */

/**
 * What both sides declare under `io.modelcontextprotocol/tasks` of their extensions: `{}`.
 *
 * @category `tasks`
 */
export interface TasksExtensionCapability {}

/* Who sends what */

/** Requests of the extension that clients send. */
export type ClientRequest = GetTaskRequest | UpdateTaskRequest | CancelTaskRequest;

/** Answers of servers to them, and to requests that became tasks. */
export type ServerResult = CreateTaskResult | GetTaskResult | UpdateTaskResult | CancelTaskResult;

/** Notifications of the extension that servers send. */
export type ServerNotification = TaskStatusNotification;

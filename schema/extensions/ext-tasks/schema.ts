// Our transcription of the extension io.modelcontextprotocol/tasks: a server may answer a request with a task, and the client
// fetches its outcome later. It differs from the official file in three ways. Where that file intersects `Result` with the
// union of the states of a task, each combination is an interface of its own here. Its params do not mention `_meta`; here
// `_meta` is an optional member, because the core protocol requires it in every request. The unions at the end list who sends
// what.

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
 * Status of a task: running, waiting or ended.
 *
 * `working`: the server is processing the request. `input_required`: the task waits for answers
 * from the client. `completed`: the task has a result, which may be a tool error (`isError`).
 * `failed`: the task has a JSON-RPC error. `cancelled`: the task was stopped and has neither. The
 * last three are final.
 *
 * @category `tasks`
 */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/**
 * A request that the server executes in the background, with its status.
 *
 * @category `tasks`
 */
export interface Task {
  /** Id of the task, assigned by the server. */
  taskId: string;
  /** Status of the task. */
  status: TaskStatus;
  /**
   * Explanation of the status for people or the model, such as the current step or the cause of a
   * failure.
   */
  statusMessage?: string;
  /** Time of creation in ISO 8601 form. */
  createdAt: string;
  /** Time of the last change in ISO 8601 form. */
  lastUpdatedAt: string;
  /**
   * Milliseconds from creation for which the server keeps the task; null means without limit.
   *
   * The value may change during the life of the task.
   *
   * @format int
   * @nullable
   */
  ttlMs: number | null;
  /**
   * Milliseconds that the client should wait between two `tasks/get` requests.
   *
   * The value may change during the life of the task.
   *
   * @format int
   */
  pollIntervalMs?: number;
}

/* Tasks by status */

/**
 * A task that the server is processing.
 *
 * @category `tasks`
 */
export interface WorkingTask extends Task {
  status: "working";
}

/**
 * A task that waits for answers from the client.
 *
 * @category `tasks`
 */
export interface InputRequiredTask extends Task {
  status: "input_required";
  /**
   * Requests to the client that are not answered yet, by key.
   *
   * No key is used twice during the life of the task.
   */
  inputRequests: InputRequests;
}

/**
 * A task that has ended with a result.
 *
 * @category `tasks`
 */
export interface CompletedTask extends Task {
  status: "completed";
  /** Result of the original request, such as a `CallToolResult`. */
  result: { [key: string]: unknown };
}

/**
 * A task that has ended with a JSON-RPC error.
 *
 * @category `tasks`
 */
export interface FailedTask extends Task {
  status: "failed";
  /** JSON-RPC error that ended the task. */
  error: JSONRPCErrorObject;
}

/**
 * A task that was cancelled.
 *
 * @category `tasks`
 */
export interface CancelledTask extends Task {
  status: "cancelled";
}

/**
 * A task in any status, with the fields of that status.
 *
 * @category `tasks`
 */
export type DetailedTask = WorkingTask | InputRequiredTask | CompletedTask | FailedTask | CancelledTask;

/* Creating tasks */

/**
 * Result that confirms a new task, in place of the result of the method.
 *
 * @category `tasks`
 */
export interface CreateTaskResult extends Result, Task {
  /** Marker that distinguishes the task from the result of the method. */
  resultType: "task";
}

/* Operations */

/**
 * Parameters of `tasks/get`.
 *
 * @category `tasks/get`
 */
export interface GetTaskRequestParams extends Partial<RequestParams> {
  /** Id of the task whose status is requested. */
  taskId: string;
}

/**
 * A request for the status of a task, with its result, error or open input requests.
 *
 * @category `tasks/get`
 */
export interface GetTaskRequest extends JSONRPCRequest {
  method: "tasks/get";
  params: GetTaskRequestParams;
}

/**
 * Result of `tasks/get` for a task in progress.
 *
 * @category `tasks/get`
 */
export interface GetWorkingTaskResult extends Result, WorkingTask {
  /** Marker of the ordinary result of the method. */
  resultType: "complete";
}

/**
 * Result of `tasks/get` for a task that waits for answers from the client.
 *
 * @category `tasks/get`
 */
export interface GetInputRequiredTaskResult extends Result, InputRequiredTask {
  /** Marker of the ordinary result of the method. */
  resultType: "complete";
}

/**
 * Result of `tasks/get` for a task that has ended with a result.
 *
 * @category `tasks/get`
 */
export interface GetCompletedTaskResult extends Result, CompletedTask {
  /** Marker of the ordinary result of the method. */
  resultType: "complete";
}

/**
 * Result of `tasks/get` for a task that has ended with a JSON-RPC error.
 *
 * @category `tasks/get`
 */
export interface GetFailedTaskResult extends Result, FailedTask {
  /** Marker of the ordinary result of the method. */
  resultType: "complete";
}

/**
 * Result of `tasks/get` for a task that was cancelled.
 *
 * @category `tasks/get`
 */
export interface GetCancelledTaskResult extends Result, CancelledTask {
  /** Marker of the ordinary result of the method. */
  resultType: "complete";
}

/**
 * Result of `tasks/get`: the task in its current status.
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
 * Parameters of `tasks/update`.
 *
 * @category `tasks/update`
 */
export interface UpdateTaskRequestParams extends Partial<RequestParams> {
  /** Id of the task that requested the input. */
  taskId: string;
  /** Answers by the keys of `inputRequests`; some of them may be sent later. */
  inputResponses: InputResponses;
}

/**
 * A request that delivers the client's answers to a task that waits for them.
 *
 * @category `tasks/update`
 */
export interface UpdateTaskRequest extends JSONRPCRequest {
  method: "tasks/update";
  params: UpdateTaskRequestParams;
}

/**
 * Confirmation that the server received the answers; `tasks/get` shows their effect.
 *
 * @category `tasks/update`
 */
export interface UpdateTaskResult extends Result {
  /** Marker of the ordinary result of the method. */
  resultType: "complete";
}

/**
 * Parameters of `tasks/cancel`.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskRequestParams extends Partial<RequestParams> {
  /** Id of the task to stop. */
  taskId: string;
}

/**
 * A request to stop a task.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskRequest extends JSONRPCRequest {
  method: "tasks/cancel";
  params: CancelTaskRequestParams;
}

/**
 * Confirmation that the server received the request; `tasks/get` shows whether the task stops.
 *
 * @category `tasks/cancel`
 */
export interface CancelTaskResult extends Result {
  /** Marker of the ordinary result of the method. */
  resultType: "complete";
}

/* Notifications */

/**
 * Parameters of `notifications/tasks` for a task in progress.
 *
 * @category `notifications/tasks`
 */
export interface WorkingTaskNotificationParams extends NotificationParams, WorkingTask {
  [key: string]: unknown;
}

/**
 * Parameters of `notifications/tasks` for a task that waits for answers from the client.
 *
 * @category `notifications/tasks`
 */
export interface InputRequiredTaskNotificationParams extends NotificationParams, InputRequiredTask {
  [key: string]: unknown;
}

/**
 * Parameters of `notifications/tasks` for a task that has ended with a result.
 *
 * @category `notifications/tasks`
 */
export interface CompletedTaskNotificationParams extends NotificationParams, CompletedTask {
  [key: string]: unknown;
}

/**
 * Parameters of `notifications/tasks` for a task that has ended with a JSON-RPC error.
 *
 * @category `notifications/tasks`
 */
export interface FailedTaskNotificationParams extends NotificationParams, FailedTask {
  [key: string]: unknown;
}

/**
 * Parameters of `notifications/tasks` for a task that was cancelled.
 *
 * @category `notifications/tasks`
 */
export interface CancelledTaskNotificationParams extends NotificationParams, CancelledTask {
  [key: string]: unknown;
}

/**
 * Parameters of `notifications/tasks`: the task in its new status, as `tasks/get` returns it.
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
 * A notification that the status of a task has changed, for clients subscribed to the task.
 *
 * @category `notifications/tasks`
 */
export interface TaskStatusNotification extends JSONRPCNotification {
  method: "notifications/tasks";
  params: TaskStatusNotificationParams;
}

/* Subscriptions */

/**
 * Fields that the extension adds to the filter of `subscriptions/listen`.
 *
 * @category `subscriptions`
 */
export interface TaskSubscriptionNotifications {
  /** Ids of the tasks to receive `notifications/tasks` for. */
  taskIds?: string[];
}

/**
 * Fields that the extension adds to the acknowledgement of a subscription.
 *
 * @category `subscriptions`
 */
export interface TaskSubscriptionAcknowledgedNotifications {
  /** Ids of the tasks for which the server will send `notifications/tasks`. */
  taskIds?: string[];
}

/* Capability */

/**
 * Settings of the extension in the capabilities of client and server: always `{}`.
 *
 * Their key in `extensions` is `io.modelcontextprotocol/tasks`.
 *
 * @category `tasks`
 */
export interface TasksExtensionCapability {}

/* Messages by sender */

/** Requests of the extension that clients send. */
export type ClientRequest = GetTaskRequest | UpdateTaskRequest | CancelTaskRequest;

/** Results of the extension that servers return. */
export type ServerResult = CreateTaskResult | GetTaskResult | UpdateTaskResult | CancelTaskResult;

/** Notifications of the extension that servers send. */
export type ServerNotification = TaskStatusNotification;

/** The service's metrics in Prometheus text format. */
import { Effect } from "effect"

/** Counters since the start. Labels have few, fixed values: never a task, a key or a text. */
export class ServiceMetrics extends Effect.Service<ServiceMetrics>()("service/Metrics", {
  sync: () => {
    const started = Date.now()
    const requests = new Map<string, number>()
    const tasks = new Map<string, number>()
    const spoken = new Map<string, number>()
    const speaking = new Map<string, Histogram>()
    const latency = new Histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5])
    const engines = new Map<string, number>()
    const aside = new Map<string, number>()
    return {
      /** Counts a use of one of a provider's several engines; `ended`: the text was at fault, or the task stopped. */
      engineUse: (provider: string, engine: string, outcome: "spoken" | "failed" | "ended"): void => {
        add(engines, `provider="${provider}",engine="${engine}",outcome="${outcome}"`, 1)
      },

      /** Records whether one of a provider's several engines is set aside. */
      engineAside: (provider: string, engine: string, isAside: boolean): void => {
        aside.set(`provider="${provider}",engine="${engine}"`, isAside ? 1 : 0)
      },

      /** Counts an answered request. */
      request: (method: string, path: string, status: number, seconds: number): void => {
        add(requests, `method="${knownMethod(method)}",path="${path}",status="${status}"`, 1)
        latency.observe(seconds)
      },

      /** Counts a finished task. */
      task: (provider: string, status: "done" | "failed", characters: number, seconds: number): void => {
        add(tasks, `provider="${provider}",status="${status}"`, 1)
        if (status === "done") add(spoken, `provider="${provider}"`, characters)
        const histogram =
          speaking.get(provider) ?? new Histogram([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300])
        speaking.set(provider, histogram)
        histogram.observe(seconds)
      },

      /** Renders the page that Prometheus scrapes; `gauges` holds the current values. */
      page: (gauges: {
        readonly queued: number
        readonly processing: number
        readonly draining: boolean
        readonly freeDisk: number
      }): string => {
        const memory = process.memoryUsage()
        return [
          ...counter("dubwright_requests_total", "Requests answered.", requests),
          ...head("dubwright_request_seconds", "Time to answer a request.", "histogram"),
          ...latency.lines("dubwright_request_seconds", ""),
          ...counter("dubwright_tasks_total", "Tasks finished, done or failed.", tasks),
          ...counter("dubwright_characters_total", "Characters spoken.", spoken),
          ...head("dubwright_task_seconds", "Time to speak a task, without queueing.", "histogram"),
          ...[...speaking].flatMap(([provider, histogram]) =>
            histogram.lines("dubwright_task_seconds", `provider="${provider}"`)
          ),
          ...counter("dubwright_engine_uses_total", "Tasks given to one of several engines.", engines),
          ...head("dubwright_engine_set_aside", "1 while an engine is set aside after failures.", "gauge"),
          ...[...aside].map(([labels, value]) => `dubwright_engine_set_aside{${labels}} ${value}`),
          ...gauge("dubwright_tasks_queued", "Tasks queued.", gauges.queued),
          ...gauge("dubwright_tasks_processing", "Tasks being spoken.", gauges.processing),
          ...gauge("dubwright_draining", "1 while the service is stopping.", gauges.draining ? 1 : 0),
          ...gauge("dubwright_disk_free_bytes", "Bytes free in the data folder.", gauges.freeDisk),
          ...gauge("process_resident_memory_bytes", "Resident memory.", memory.rss),
          ...gauge("nodejs_heap_used_bytes", "Heap in use.", memory.heapUsed),
          ...gauge("process_start_time_seconds", "When the service started.", started / 1000)
        ].join("\n")
      }
    }
  }
}) {}

class Histogram {
  private readonly counts: Array<number>
  private sum = 0
  private total = 0

  constructor(private readonly bounds: ReadonlyArray<number>) {
    this.counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    this.sum += value
    this.total += 1
    this.bounds.forEach((bound, index) => {
      if (value <= bound) this.counts[index] = (this.counts[index] ?? 0) + 1
    })
  }

  lines(name: string, labels: string): ReadonlyArray<string> {
    const with_ = (more: string) => [labels, more].filter((each) => each !== "").join(",")
    const plain = labels === "" ? "" : `{${labels}}`
    return [
      ...this.bounds.map(
        (bound, index) => `${name}_bucket{${with_(`le="${bound}"`)}} ${this.counts[index] ?? 0}`
      ),
      `${name}_bucket{${with_('le="+Inf"')}} ${this.total}`,
      `${name}_sum${plain} ${this.sum}`,
      `${name}_count${plain} ${this.total}`
    ]
  }
}

const add = (counts: Map<string, number>, labels: string, by: number): void => {
  counts.set(labels, (counts.get(labels) ?? 0) + by)
}

const head = (name: string, help: string, type: "counter" | "gauge" | "histogram"): ReadonlyArray<string> => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`
]

const counter = (name: string, help: string, counts: ReadonlyMap<string, number>): ReadonlyArray<string> => [
  ...head(name, help, "counter"),
  ...[...counts].map(([labels, value]) => `${name}{${labels}} ${value}`)
]

const gauge = (name: string, help: string, value: number): ReadonlyArray<string> => [
  ...head(name, help, "gauge"),
  `${name} ${value}`
]

const knownMethod = (method: string): string =>
  ["GET", "HEAD", "POST", "DELETE"].includes(method) ? method : "other"
